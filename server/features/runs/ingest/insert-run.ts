import { environments } from '../../../../contract/common/environments.ts'
import type { Run } from '../../../../contract/runs/run.ts'
import { type ContentState, contentStates } from '../../../../contract/runs/run-content.ts'
import type { NamedRun, RunsTable } from '../../../db/schema/run-columns.ts'
import type { Tx } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'
import type { RequestClient } from '../../../resources/connected-client.ts'
import type { PayloadLocation } from '../payloads/payload-limits.ts'
import { columnNames, columnOf, type NameKind, recordOf } from '../store/columns.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { runToWire } from '../store/runs.wire.ts'
import type { NormalizedRun } from './normalize.ts'
import type { PendingRuns } from './pending-runs.ts'

/** Returns the id of the reporter; a `client_run_id` is unique per reporter. */
export const reporterOf = (ctx: Context): string => ctx.actor.id ?? ctx.actor.kind

/** Returns the environment of an API token that is limited to one; else null: it is not guessed. */
function envOf({ actor }: Context): string | null {
  const [first, ...others] = actor.limits?.namespaces ?? []
  return first !== undefined && others.length === 0 && isEnvironment(first) ? first : null
}

const isEnvironment = (name: string): boolean => (environments as readonly string[]).includes(name)

/** Returns the name of the token of a request; null for a user. */
const tokenOf = ({ actor }: Context): string | null =>
  actor.kind === 'api_token' || actor.kind === 'service_token' ? actor.name : null

type NewRun = {
  readonly id: number
  readonly run: NormalizedRun
  readonly ctx: Context
  readonly isReported: boolean
  readonly client: RequestClient | null
  readonly location: PayloadLocation | null
  /** Set for calls through the gateway. */
  readonly callId: string | null
  readonly replyMark: string | null
  readonly contentState: ContentState
  /** False for a batch: its reply contains only ids. */
  readonly isInReply: boolean
}

const emptyRun = recordOf<Record<keyof NamedRun, null>>(columnNames, () => null)

/**
 * Returns all columns of a run: those of the report, and those that only the service knows. The empty run
 * comes first, because V8 needs 60 times as long to add properties to a copy of an object as large as this.
 */
const columnsOf = ({
  id,
  run,
  ctx,
  isReported,
  client,
  location,
  contentState,
  callId,
  replyMark,
}: NewRun): NamedRun => ({
  ...emptyRun,
  ...run,
  id,
  env: run.env ?? envOf(ctx),
  user: ctx.actor.name,
  app: run.app ?? client?.app ?? null,
  token: tokenOf(ctx),
  client: client?.id ?? null,
  reported: isReported ? 1 : 0,
  reporter: run.client_run_id === null ? null : reporterOf(ctx),
  request_id: ctx.requestId,
  call_id: callId,
  reply_mark: replyMark,
  payload_day: location?.day ?? null,
  payload_offset: location?.offset ?? null,
  payload_length: location?.length ?? null,
  payload_state: contentStates.indexOf(contentState),
})

const nameColumns = columnNames.filter((name): name is NameKind => /^names?$/.test(columnOf(name).form))

/** Adds one run to the transaction. The reply is built from the stored values, without reading the row. */
export async function insertRun(
  tx: Tx,
  names: NameDictionary,
  newRun: NewRun,
  pending: Pick<PendingRuns, 'add'>,
): Promise<{ stored: RunsTable; named: NamedRun; wire: Run | null }> {
  const named = columnsOf(newRun)
  const ids = new Map<string, number>()
  const texts = new Map<number, string>()
  for (const column of nameColumns) {
    const text = named[column]
    if (text === null) continue
    // Not awaited for a cached name, which is the usual case.
    const id = names.cachedId(column, text) ?? (await names.idOf(tx, column, text))
    ids.set(column, id)
    texts.set(id, text)
  }
  const stored = recordOf<RunsTable>(columnNames, (name) => ids.get(name) ?? named[name])
  await pending.add(stored)
  const nameOf = (id: number | null) => (id === null ? null : (texts.get(id) ?? null))
  return { stored, named, wire: newRun.isInReply ? runToWire(stored, nameOf) : null }
}
