import type { Environment } from '../../../../contract/common/environments.ts'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { Db, Query, Tx } from '../../../db/types.ts'
import type { History } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import type { NewId } from '../../../lib/ids.ts'
import { summaryWith } from '../../../resources/changes.ts'
import { labelOf, versionNamed } from '../../../resources/versions.ts'
import { findVersion } from '../state/bodies.store.ts'
import { type Body, isSameBody, onlyBody } from '../state/body.ts'
import { addDraft, serve } from '../state/changes.ts'
import { requireCurrent, required, requireUnprotected, workspaceOf } from '../state/policy.ts'
import { findWhole, idAt, type WholeRow } from '../state/prompts.store.ts'
import { draftOf, framesWithDependents, servedFacts, servedOf, toWire } from '../state/prompts.wire.ts'

export type PublishDeps = { readonly db: Db; readonly history: History; readonly newId: NewId }

/** Makes the draft the next version, which is served from now on. */
export function publishPrompt(
  { db, history }: PublishDeps,
  ctx: Context,
  id: string,
  message: string,
  ifMatch: string | null,
): Promise<Prompt> {
  return db.write(async (tx) => {
    const row = await required(tx.q, ctx.scope, id)
    requirePublishable(ctx, row, ifMatch)
    const { key, env } = row
    if (row.has_draft === 0)
      throw nothingToPublish(`The draft of ${key} in ${env} is already served as ${labelOf(row.version)}.`)
    const after = await serve(tx, ctx, row, draftOf(row), { kind: 'publish', message, draft: 'replaced' })
    const summary = `Published ${key} ${labelOf(after.version)} in ${env}`
    const change = { action: 'publish', type: 'prompt.published', summary, message, row, after } as const
    return recorded(history, tx, ctx, change)
  })
}

/** Publishes the text of an older version as a new version. */
export function rollBackPrompt(
  { db, history }: PublishDeps,
  ctx: Context,
  id: string,
  { version: requested, message = '' }: { readonly version: string; readonly message?: string | undefined },
  ifMatch: string | null,
): Promise<Prompt> {
  return db.write(async (tx) => {
    const row = await required(tx.q, ctx.scope, id)
    requirePublishable(ctx, row, ifMatch)
    const target = await versionNamed(requested, row.version, (version) => findVersion(tx.q, id, version))
    const { version } = target
    const label = labelOf(version)
    if (version === row.version) throw nothingToPublish(`${label} is already served.`)
    const origin = { kind: 'rollback', message, from: { env: row.env, version }, draft: 'replaced' } as const
    const after = await serve(tx, ctx, row, onlyBody(target), origin)
    const summary = `Rolled back ${row.key} in ${row.env} to ${label}, as ${labelOf(after.version)}`
    const change = { action: 'rollback', type: 'prompt.rolled_back', summary, message, row, after } as const
    return recorded(history, tx, ctx, change)
  })
}

/**
 * Promotes the served version. The source does not change; a draft of the target with other content is kept.
 */
export function promotePrompt(
  { db, history, newId }: PublishDeps,
  ctx: Context,
  id: string,
  { env, message = '' }: { readonly env: Environment; readonly message?: string | undefined },
  ifMatch: string | null,
): Promise<Prompt> {
  return db.write(async (tx) => {
    const source = await required(tx.q, ctx.scope, id)
    requireUnprotected(ctx, workspaceOf(source), env)
    requireCurrent(ifMatch, source)
    const body = promotableBody(source, env)
    const before = await promptIn(tx.q, source, env)
    const served = before && servedOf(before)
    if (before && served && isSameBody(served, body))
      throw nothingToPublish(`${env} already serves the same content as ${labelOf(before.version)}.`)
    const target = before ?? (await addDraft(tx, ctx, { ...copyFor(source, env, body), id: newId() }))
    const from = { env: source.env, version: source.version }
    const after = await serve(tx, ctx, target, body, { kind: 'promote', message, from, draft: 'kept' })
    const summary = `Promoted ${source.key} ${labelOf(source.version)} from ${source.env} to ${env}, as ${labelOf(after.version)}`
    const type = before === null ? 'prompt.created' : 'prompt.published'
    return recorded(history, tx, ctx, { action: 'promote', type, summary, message, row: before, after })
  })
}

/** Throws if the actor may not change what this environment serves, or has not seen the current state. */
function requirePublishable(ctx: Context, row: WholeRow, ifMatch: string | null): void {
  requireUnprotected(ctx, workspaceOf(row), row.env)
  requireCurrent(ifMatch, row)
}

const nothingToPublish = (detail: string) => fail('prompt.nothing_to_publish', { detail })

/** Returns the served text. Throws if there is none, or if the prompt is in the target environment already. */
function promotableBody(source: WholeRow, env: Environment): Body {
  if (env === source.env) throw invalid('env', `The prompt is already in ${env}`)
  const body = servedOf(source)
  if (body === null) throw nothingToPublish(`${source.key} has no served version in ${source.env}.`)
  return body
}

/** Returns the prompt with the same key in another environment; null if there is none. */
async function promptIn(q: Query, source: WholeRow, env: Environment): Promise<WholeRow | null> {
  const id = await idAt(q, { workspaceId: source.workspace_id, key: source.key, env })
  return id === undefined ? null : ((await findWhole(q, id)) ?? null)
}

const copyFor = (source: WholeRow, env: Environment, body: Body) => ({
  workspace: workspaceOf(source),
  key: source.key,
  env,
  name: source.name,
  description: source.description,
  category: source.category,
  tags: JSON.parse(source.tags),
  body,
})

type VersionChange = {
  readonly action: 'publish' | 'rollback' | 'promote'
  readonly type: 'prompt.published' | 'prompt.rolled_back' | 'prompt.created'
  readonly summary: string
  readonly message: string
  /** Null: the prompt was created by this operation. */
  readonly row: WholeRow | null
  readonly after: WholeRow
}

/** Records the version: its audit entry and its frame. */
async function recorded(
  { record }: Pick<History, 'record'>,
  tx: Tx,
  ctx: Context,
  { action, type, summary, message, row, after }: VersionChange,
): Promise<Prompt> {
  const prompt = toWire(after)
  await record(tx, ctx, {
    action,
    resource: 'prompt',
    resourceId: after.id,
    key: after.key,
    workspaceId: after.workspace_id,
    summary: summaryWith(summary, message),
    before: row === null ? { version: null, content: null } : { ...servedFacts(toWire(row)), message: null },
    after: { ...servedFacts(prompt), message },
    promptEvents: await framesWithDependents(tx.q, type, after),
  })
  return prompt
}
