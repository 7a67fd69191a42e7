import { isDeepStrictEqual } from 'node:util'
import type { Alert, CreateAlertBody, UpdateAlertBody } from '../../../contract/alerts/alert.ts'
import type { AlertEvaluation, AlertEvent } from '../../../contract/alerts/alert-events.ts'
import type { AlertTest, alerts as endpoints } from '../../../contract/alerts/alerts.ts'
import type { InputOf } from '../../../contract/common/endpoint.ts'
import type { Db, Query, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import { createSerialQueue } from '../../lib/async/serial-queue.ts'
import type { Context, Scope } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { type PageReply, planPage, toPage } from '../../lib/paging.ts'
import { requireInScope } from '../../lib/scope.ts'
import { findWorkspace } from '../../resources/workspaces.read.ts'
import { deliveriesOf, stopDeliveries } from './delivery/deliveries.store.ts'
import type { SendDeps } from './delivery/send.ts'
import type { Evaluator } from './evaluation/evaluator.ts'
import { conditionChanged } from './evaluation/transition.ts'
import { eventKeys, eventOrder, findEvent, listEvents } from './events/events.store.ts'
import { eventToWire } from './events/events.wire.ts'
import { markSeen, readSeen } from './events/seen.ts'
import type { EventDeps } from './events/write-event.ts'
import { writeResolved } from './events/write-resolved.ts'
import { auditFieldsOf, summaryOf } from './rules/audit.ts'
import { type ChangeDeps, isSameCondition, planChange, planRule } from './rules/changes.ts'
import {
  countRules,
  deleteRule,
  deleteState,
  findRule,
  findState,
  listRules,
  putRule,
  putState,
  type RuleRow,
  ruleKeys,
  ruleOrder,
} from './rules/rules.store.ts'
import { toWire } from './rules/rules.wire.ts'
import type { AlertScheduler } from './scheduler.ts'
import { sendTest } from './test-delivery.ts'

export type AlertsDeps = EventDeps &
  SendDeps & {
    readonly db: Db
    readonly history: History
    readonly refusalOf: ChangeDeps['refusalOf']
    readonly evaluator: Evaluator
    readonly scheduler: AlertScheduler
  }

/** Bounds the work of an evaluation. */
const maxAlerts = 100

type ListQuery = InputOf<typeof endpoints.list>['query']
type EventsQuery = InputOf<typeof endpoints.events>['query']

export type AlertsService = {
  list(ctx: Context, query: ListQuery): Promise<PageReply<Alert> & { evaluation: AlertEvaluation }>
  get(ctx: Context, id: string): Promise<Alert>
  create(ctx: Context, body: CreateAlertBody): Promise<Alert>
  update(ctx: Context, id: string, body: UpdateAlertBody): Promise<Alert>
  remove(ctx: Context, id: string): Promise<{ ok: true }>
  /** Sends a test delivery. */
  test(ctx: Context, id: string): Promise<AlertTest>
  events(ctx: Context, query: EventsQuery): Promise<PageReply<AlertEvent>>
  event(ctx: Context, id: string): Promise<AlertEvent>
  seen(ctx: Context): Promise<{ until: string | null }>
  /** Marks events up to a time as seen by the user, or up to now if the time is later. */
  markSeen(ctx: Context, until: string): Promise<{ until: string | null }>
}

/** Alerts: their rules, history and webhooks. Changes run one at a time, because each is planned on a row. */
export function createAlertsService(deps: AlertsDeps): AlertsService {
  const changes = createSerialQueue()
  return {
    list: (ctx, query) => list(deps, ctx, query),
    get: async (ctx, id) => describe(deps, ctx, deps.db.read, await required(deps.db.read, ctx.scope, id)),
    create: (ctx, body) => changes.run(() => create(deps, ctx, body)),
    update: (ctx, id, body) => changes.run(() => update(deps, ctx, id, body)),
    remove: (ctx, id) => changes.run(() => remove(deps, ctx, id)),
    test: async (ctx, id) => sendTest(deps, await required(deps.db.read, ctx.scope, id)),
    events: (ctx, query) => events(deps, ctx.scope, query),
    event: (ctx, id) => event(deps, ctx.scope, id),
    seen: (ctx) => readSeen(deps.db, ctx),
    markSeen: (ctx, until) => markSeen(deps.db, ctx, until),
  }
}

async function required(q: Query, scope: Scope, id: string): Promise<RuleRow> {
  const row = await findRule(q, id)
  if (row === undefined) throw fail('not_found', { detail: 'Alert not found.' })
  requireInScope(scope, row.workspace_id, 'Alert not found.')
  return row
}

const describe = async (
  { vault, evaluator }: AlertsDeps,
  ctx: Context,
  q: Query,
  row: RuleRow,
): Promise<Alert> => toWire(vault, ctx, row, await findState(q, row.id), evaluator.latest(row.id))

/** Returns the id of the workspace; an id that matches nothing if it does not exist. */
const workspaceIdOf = async (q: Query, idOrSlug: string | undefined): Promise<string | undefined> =>
  idOrSlug === undefined ? undefined : ((await findWorkspace(q, idOrSlug))?.id ?? '')

async function list(deps: AlertsDeps, ctx: Context, query: ListQuery) {
  const { db, scheduler } = deps
  const plan = planPage(query, ruleOrder(query.sort ?? 'name'))
  const workspaceId = await workspaceIdOf(db.read, query.workspace)
  const { rows, total } = await listRules(
    db.read,
    ctx.scope,
    { kind: query.kind, q: query.q, workspaceId },
    plan,
  )
  const page = toPage(plan, rows, total, ruleKeys(plan.order.name), (row) => row)
  const data = await Promise.all(page.data.map((row) => describe(deps, ctx, db.read, row)))
  return { ...page, data, evaluation: scheduler.evaluation() }
}

async function events({ db }: AlertsDeps, scope: Scope, query: EventsQuery): Promise<PageReply<AlertEvent>> {
  const plan = planPage(query, eventOrder(query.sort ?? '-created_at'))
  const { alert, type, from, to } = query
  const workspaceId = await workspaceIdOf(db.read, query.workspace)
  const { rows, total } = await listEvents(db.read, scope, { alert, type, workspaceId, from, to }, plan)
  const deliveries = await deliveriesOf(
    db.read,
    rows.map(({ id }) => id),
  )
  return toPage(plan, rows, total, eventKeys, (row) => eventToWire(row, deliveries.get(row.id)))
}

async function event({ db }: AlertsDeps, scope: Scope, id: string): Promise<AlertEvent> {
  const row = await findEvent(db.read, id)
  if (row === undefined) throw fail('not_found', { detail: 'Event not found.' })
  requireInScope(scope, row.workspace_id, 'Event not found.')
  return eventToWire(row, (await deliveriesOf(db.read, [id])).get(id))
}

async function create(deps: AlertsDeps, ctx: Context, body: CreateAlertBody): Promise<Alert> {
  const { db, history, newId } = deps
  const row = await planRule({ ...deps, read: db.read }, ctx, newId(), body)
  const alert = await db.write(async (tx) => {
    if ((await countRules(tx.q)) >= maxAlerts) {
      throw fail('request.invalid', {
        detail: `The limit of ${maxAlerts} alerts is reached. Delete alerts that are not used.`,
      })
    }
    await putRule(tx.q, row)
    await history.record(tx, ctx, {
      action: 'create',
      resource: 'alert',
      resourceId: row.id,
      key: row.name,
      workspaceId: row.workspace_id,
      summary: `Created the alert ${row.name}`,
      after: auditFieldsOf(row),
    })
    return describe(deps, ctx, tx.q, row)
  })
  evaluateSoon(deps, row.id)
  return alert
}

const evaluateSoon = ({ scheduler, evaluator }: AlertsDeps, id: string): void =>
  scheduler.runNext(() => evaluator.evaluate(id))

/** Plans and stores a change, again if another instance changed the alert meanwhile. */
const update = async (...args: Parameters<typeof updateOnce>): Promise<Alert> =>
  (await updateOnce(...args)) ?? update(...args)

/** Returns null if the alert is no longer the one on which the change was planned. */
async function updateOnce(deps: AlertsDeps, ctx: Context, id: string, body: UpdateAlertBody) {
  const { db, history, evaluator } = deps
  const before = await required(db.read, ctx.scope, id)
  const planned = await planChange({ ...deps, read: db.read }, ctx, before, body)
  if (isDeepStrictEqual(planned, before)) return describe(deps, ctx, db.read, before)
  const after = { ...planned, updated_at: ctx.now.getTime(), updated_by: ctx.actor.name }
  const isAffected = after.enabled !== before.enabled || !isSameCondition(before, after)
  if (isAffected) evaluator.clear(id)
  const alert = await db.write(async (tx) => {
    if (!isDeepStrictEqual(await findRule(tx.q, id), before)) return null
    await putRule(tx.q, after)
    if (isAffected) await resetState(deps, tx, ctx, { before, after })
    if (after.webhook_url === null && before.webhook_url !== null) await stopDeliveries(tx.q, id)
    await history.record(tx, ctx, {
      action: 'update',
      resource: 'alert',
      resourceId: id,
      key: after.name,
      workspaceId: after.workspace_id,
      summary: summaryOf(before, after),
      before: auditFieldsOf(before),
      after: auditFieldsOf(after),
    })
    return describe(deps, ctx, tx.q, after)
  })
  evaluateSoon(deps, id)
  return alert
}

/** Adapts the state to a change. A firing alert is resolved, or the next evaluation decides about it. */
async function resetState(
  deps: AlertsDeps,
  tx: Tx,
  ctx: Context,
  { before, after }: { readonly before: RuleRow; readonly after: RuleRow },
): Promise<void> {
  const state = await findState(tx.q, after.id)
  if (state?.status !== 'firing') {
    await deleteState(tx.q, after.id)
    return
  }
  if (after.enabled === 1) {
    await putState(tx.q, { ...state, clear_since: conditionChanged, has_seen_runs: 0 })
    return
  }
  await deleteState(tx.q, after.id)
  await writeResolved(deps, tx, ctx, { ...after, threshold: before.threshold }, 'disabled')
}

async function remove(deps: AlertsDeps, ctx: Context, id: string): Promise<{ ok: true }> {
  const { db, history, evaluator } = deps
  await db.write(
    async (tx) => {
      const row = await required(tx.q, ctx.scope, id)
      const state = await findState(tx.q, id)
      await stopDeliveries(tx.q, id)
      await deleteRule(tx.q, id)
      if (state?.status === 'firing') await writeResolved(deps, tx, ctx, row, 'deleted')
      await history.record(tx, ctx, {
        action: 'delete',
        resource: 'alert',
        resourceId: id,
        key: row.name,
        workspaceId: row.workspace_id,
        summary: `Deleted the alert ${row.name}`,
        before: auditFieldsOf(row),
      })
    },
    { evenWhenFull: true },
  )
  evaluator.clear(id)
  return { ok: true }
}
