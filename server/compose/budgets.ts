import type { Tx } from '../db/types.ts'
import { insertEvent } from '../features/alerts/events/events.store.ts'
import type { SettingsService } from '../features/settings/settings.service.ts'
import { type BudgetNotice, type Budgets, createBudgets } from '../gateway/budgets/budgets.ts'
import { percentOf } from '../gateway/budgets/meters.ts'
import { nameOf, noticeText } from '../gateway/budgets/wording.ts'
import { systemContext } from '../lib/context.ts'
import type { ComposeDeps } from './deps.ts'
import type { Foundation } from './foundation/foundation.ts'

type Parts = Pick<Foundation, 'db' | 'history'> & { readonly settings: Pick<SettingsService, 'current'> }

/** Creates the budgets of the gateway. Their notices are audit entries and events of alerts. */
export function composeBudgets({ db, history, settings }: Parts, deps: ComposeDeps): Budgets {
  const { clock, newId, logger } = deps
  return createBudgets({
    db,
    clock,
    budgetOfAll: () => settings.current().budget,
    onNotice: (tx, notice) => writeNotice({ history, newId }, tx, notice),
    onError: (err) => logger.error({ err }, 'a notice of a budget could not be stored'),
  })
}

const resources = { all: 'setting', workspace: 'workspace', token: 'token' } as const

/** The page of the console that shows a budget. */
const pages = { all: '/settings', workspace: '/workspaces', token: '/tokens' } as const

const minutes = { requests_per_minute: 1, tokens_per_day: 1440, usd_per_day: 1440, usd_per_month: 43_200 }

async function writeNotice(
  { history, newId }: Pick<Foundation, 'history'> & Pick<ComposeDeps, 'newId'>,
  tx: Tx,
  { owner, meter, at }: BudgetNotice,
): Promise<void> {
  const { scope, id, name, workspaceId, budget } = owner
  const ctx = systemContext(at, `budgets_${newId()}`)
  await history.record(tx, ctx, {
    action: 'budget_warning',
    resource: resources[scope],
    resourceId: id ?? 'budget',
    key: name ?? 'budget',
    workspaceId,
    summary: noticeText(owner, meter),
  })
  await insertEvent(tx.q, {
    id: newId(),
    type: 'firing',
    alert_id: owner.owner,
    alert_name: `Budget of ${nameOf(owner)}`,
    kind: 'budget',
    statistic: null,
    workspace_id: workspaceId,
    period_minutes: minutes[meter.limit],
    value: percentOf(meter),
    threshold: meter.used >= meter.max ? 100 : (budget?.warn_at_percent ?? 100),
    resolution: null,
    link: pages[scope],
    desktop: 1,
    created_at: at.getTime(),
  })
  await history.announce(tx, { entity: 'alert', id: owner.owner, workspaceId, at })
}
