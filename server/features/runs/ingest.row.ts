import type { Run } from '../../../contract/run.ts'
import type { Tx } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import type { Draft } from './intake.ts'
import type { NameKind, NameLookup, Names } from './names.store.ts'
import type { PayloadPlace } from './payloads.ts'
import { type ListedRun, runStore } from './runs.store.ts'
import { runToWire } from './runs.wire.ts'

/** Returns the id of the reporter; a `client_run_id` is unique per reporter. */
export const reporterOf = (ctx: Context): string => ctx.actor.id ?? ctx.actor.kind

/** Stores one run. The reply is built from the given values, without reading the row. */
export async function insertRun(
  tx: Tx,
  names: Names,
  given: {
    readonly id: number
    readonly draft: Draft
    readonly ctx: Context
    readonly isReported: boolean
    readonly clientId: string | null
    readonly place: PayloadPlace | undefined
    /** False for a batch: its reply contains only ids. */
    readonly isShown: boolean
  },
): Promise<{ stored: ListedRun; wire: Run | null }> {
  const { draft, ctx, place } = given
  const texts = new Map<number, string>()
  const named = async (kind: NameKind, name: string): Promise<number> => {
    const id = await names.idOf(tx, kind, name)
    texts.set(id, name)
    return id
  }
  /** Synchronous for a known name, which is the usual case. */
  const idOf = (kind: NameKind, name: string): number | Promise<number> => {
    const known = names.known(kind, name)
    if (known === undefined) return named(kind, name)
    if (given.isShown) texts.set(known, name)
    return known
  }
  const perhaps = (kind: NameKind, name: string | null) => (name === null ? null : idOf(kind, name))

  const stored: ListedRun = {
    id: given.id,
    created_at: draft.createdAt,
    source: await idOf('source', draft.source),
    provider: await idOf('provider', draft.provider),
    model: await idOf('model', draft.model),
    workspace: await idOf('workspace', draft.workspace),
    ref_key: await perhaps('ref_key', draft.refKey),
    version: await perhaps('version', draft.version),
    user: await idOf('user', ctx.actor.name),
    client: await perhaps('client', given.clientId),
    status: draft.status,
    error: await perhaps('error', draft.error),
    error_type: await perhaps('error_type', draft.errorType),
    parent_id: draft.parentId,
    prompt_tokens: draft.promptTokens,
    output_tokens: draft.outputTokens,
    total_tokens: draft.totalTokens,
    cached_tokens: draft.cachedTokens,
    reasoning_tokens: draft.reasoningTokens,
    tokens_estimated: draft.tokensEstimated ? 1 : 0,
    latency_us: draft.latencyUs,
    ttft_us: draft.ttftUs,
    cost_nano: draft.costNano,
    reported: given.isReported ? 1 : 0,
  }
  await runStore.insert(tx.q, {
    ...stored,
    finish_reason: draft.finishReason,
    reporter: draft.clientRunId === null ? null : await idOf('reporter', reporterOf(ctx)),
    client_run_id: draft.clientRunId,
    request_id: ctx.requestId,
    params: draft.params,
    variables: await perhaps('variables', draft.variables),
    payload_day: place?.day ?? null,
    payload_offset: place?.offset ?? null,
    payload_length: place?.length ?? null,
  })
  const nameOf: NameLookup = (id) => (id === null ? null : (texts.get(id) ?? null))
  return { stored, wire: given.isShown ? runToWire(stored, nameOf) : null }
}
