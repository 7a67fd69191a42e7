import type { z } from 'zod'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { UpdatePromptBody } from '../../../../contract/prompts/prompts.ts'
import type { Tx } from '../../../db/types.ts'
import type { History } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { summaryWith } from '../../../resources/changes.ts'
import { requireSameKey } from '../../../resources/keys.ts'
import { isLabelOf, labelOf } from '../../../resources/versions.ts'
import { isSameBody } from '../state/body.ts'
import { applyChange, type Change, hasUnversionedChange, serve } from '../state/changes.ts'
import { requireUnprotected, workspaceOf } from '../state/policy.ts'
import type { WholeRow } from '../state/prompts.store.ts'
import {
  draftOf,
  factsOf,
  framesOf,
  framesOfMove,
  framesWithDependents,
  servedFacts,
  servedOf,
  toWire,
} from '../state/prompts.wire.ts'
import { otherDraftAuthor } from './drafts.read.ts'
import { versionMessage } from './label.ts'
import { changeFromPatch, requireMovable } from './patch.ts'

type Body = z.output<typeof UpdatePromptBody>
type Recorder = Pick<History, 'record'>

/** Returns the change that a body requests. Throws 422 for another key or environment. */
async function changeOf(tx: Tx, { scope }: Context, row: WholeRow, body: Body): Promise<Change> {
  const advice = 'duplicate the prompt, or promote it'
  requireSameKey(body.key, row.key, advice)
  if (body.env !== undefined && body.env !== row.env)
    throw invalid('env', `The environment never changes: ${advice}`)
  return changeFromPatch(tx.q, scope, row, toWire(row), body)
}

/** Changes the draft, and unversioned fields immediately. If nothing differs, nothing is written. */
export async function save(
  { record }: Recorder,
  tx: Tx,
  ctx: Context,
  row: WholeRow,
  body: Body,
): Promise<Prompt> {
  const before = toWire(row)
  const change = await changeOf(tx, ctx, row, body)
  const isMoved = change.workspace.id !== row.workspace_id
  const isUnversionedChanged = hasUnversionedChange(row, change)
  if (!isMoved && !isUnversionedChanged && isSameBody(change.body, draftOf(row))) return before
  if (isMoved) await requireMovable(tx.q, ctx, row, change)
  const after = await applyChange(tx, ctx, row, change)
  const prompt = toWire(after)
  const { id, key, env } = row
  await record(tx, ctx, {
    action: 'update',
    resource: 'prompt',
    resourceId: id,
    key,
    workspaceId: after.workspace_id,
    summary: isMoved
      ? `Moved the prompt ${key} in ${env} from ${row.slug} to ${after.slug}`
      : `Changed ${isSameBody(change.body, draftOf(row)) ? 'the prompt' : 'the draft of'} ${key} in ${env}`,
    before: factsOf(before),
    after: factsOf(prompt),
    promptEvents: isMoved
      ? await framesOfMove(tx.q, row, after)
      : isUnversionedChanged
        ? framesOf('prompt.updated', after)
        : [],
  })
  return prompt
}

/**
 * Saves and publishes in one transaction with one audit entry. Content that is already served is not
 * published again. Throws 403 if the actor may not publish, and 412 if it would replace another author's
 * draft that the caller has not read.
 */
export async function saveAndPublish(
  recorder: Recorder,
  tx: Tx,
  ctx: Context,
  row: WholeRow,
  request: { readonly body: Body; readonly label: string; readonly hasReadDraft: boolean },
): Promise<Prompt> {
  const { body, label, hasReadDraft } = request
  requireUnprotected(ctx, workspaceOf(row), row.env)
  if (row.has_draft === 1 && !hasReadDraft) await requireOwnDraft(tx, ctx, row)
  const change = await changeOf(tx, ctx, row, body)
  const served = servedOf(row)
  if (served !== null && isSameBody(change.body, served)) return save(recorder, tx, ctx, row, body)
  const isMoved = change.workspace.id !== row.workspace_id
  if (isMoved) {
    requireUnprotected(ctx, change.workspace, row.env)
    await requireMovable(tx.q, ctx, row, change)
  }
  const message = versionMessage(label, row.version + 1)
  const saved = await applyChange(tx, ctx, row, change)
  const after = await serve(tx, ctx, saved, change.body, { kind: 'publish', message, draft: 'replaced' })
  const prompt = toWire(after)
  const summary = `Changed and published ${row.key} ${labelOf(after.version)} in ${row.env}`
  await recorder.record(tx, ctx, {
    action: 'publish',
    resource: 'prompt',
    resourceId: row.id,
    key: row.key,
    workspaceId: after.workspace_id,
    summary: summaryWith(summary, message),
    before: { ...publishedFacts(toWire(row)), message: null },
    after: { ...publishedFacts(prompt), message },
    promptEvents: isMoved
      ? await framesOfMove(tx.q, row, after)
      : await framesWithDependents(tx.q, 'prompt.published', after),
  })
  return prompt
}

/** Returns true if a body's version requests a publish: it differs from the current version. */
export const requestsPublish = (label: string | null | undefined, row: WholeRow): label is string =>
  typeof label === 'string' && !(row.version > 0 && isLabelOf(label, row.version))

const publishedFacts = (prompt: Prompt) => ({ ...factsOf(prompt), ...servedFacts(prompt) })

async function requireOwnDraft(tx: Tx, ctx: Context, row: WholeRow): Promise<void> {
  const other = await otherDraftAuthor(tx.q, row.id, ctx.actor)
  if (other === null) return
  const message = `The draft of ${row.key} in ${row.env} was changed by ${other.by} at ${other.at.toISOString()} and is not published`
  throw fail('precondition.failed', {
    detail: `${message}. Read the prompt, then repeat the change with its \`etag\` as \`If-Match\`.`,
    errors: [{ path: 'If-Match', message }],
  })
}
