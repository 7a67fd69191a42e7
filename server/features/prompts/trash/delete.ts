import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { Db, Query } from '../../../db/types.ts'
import type { History } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import { labelOf } from '../../../resources/versions.ts'
import { setDeleted } from '../state/changes.ts'
import { includersOf } from '../state/includes.store.ts'
import {
  requireCurrent,
  required,
  requiredDeleted,
  requireFree,
  requireUnprotected,
  workspaceOf,
} from '../state/policy.ts'
import type { WholeRow } from '../state/prompts.store.ts'
import { factsOf, framesOf, framesWithDependents, toWire } from '../state/prompts.wire.ts'

type Deps = { readonly db: Db; readonly history: Pick<History, 'record'> }

/** Moves a prompt to the trash. */
export function deletePrompt(
  { db, history }: Deps,
  ctx: Context,
  id: string,
  ifMatch: string | null,
): Promise<{ ok: true }> {
  return db.write(
    async (tx) => {
      const row = await required(tx.q, ctx.scope, id)
      requireUnprotected(ctx, workspaceOf(row), row.env)
      requireCurrent(ifMatch, row)
      await requireNotIncluded(tx.q, row)
      await setDeleted(tx, ctx, row, ctx.now.getTime())
      const served = row.version === 0 ? '' : `, served as ${labelOf(row.version)}`
      await history.record(tx, ctx, {
        action: 'delete',
        resource: 'prompt',
        resourceId: id,
        key: row.key,
        workspaceId: row.workspace_id,
        summary: `Deleted the prompt ${row.key} in ${row.env}${served}`,
        before: factsOf(toWire(row)),
        promptEvents: framesOf('prompt.deleted', row),
      })
      return { ok: true }
    },
    { evenWhenFull: true },
  )
}

/** Throws 409 if what is served includes the prompt, because its text would be missing there. */
async function requireNotIncluded(q: Query, { workspace_id: workspaceId, key, env, id }: WholeRow) {
  const includers = (await includersOf(q, { workspaceId, key, env })).filter((includer) => includer.id !== id)
  const [first, ...others] = new Set(includers.map((includer) => includer.key))
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  throw fail('prompt.included', {
    detail: `${key} in ${env} is included by ${first}${more}. Publish these without it first.`,
  })
}

/** Restores a prompt from the trash. Throws 409 if its key was taken meanwhile. */
export function restorePrompt(
  { db, history }: Deps,
  ctx: Context,
  id: string,
  ifMatch: string | null,
): Promise<Prompt> {
  return db.write(async (tx) => {
    const row = await requiredDeleted(tx.q, ctx.scope, id)
    const { key, env } = row
    if (row.version > 0) requireUnprotected(ctx, workspaceOf(row), env)
    requireCurrent(ifMatch, row)
    await requireFree(tx.q, workspaceOf(row), { key, env })
    const after = await setDeleted(tx, ctx, row, null)
    const prompt = toWire(after)
    const served = row.version === 0 ? '' : `, served as ${labelOf(row.version)} again`
    await history.record(tx, ctx, {
      action: 'restore',
      resource: 'prompt',
      resourceId: id,
      key,
      workspaceId: row.workspace_id,
      summary: `Restored the prompt ${key} in ${env}${served}`,
      before: { deleted_at: toWire(row).deleted_at },
      after: factsOf(prompt),
      promptEvents: await framesWithDependents(tx.q, 'prompt.created', after),
    })
    return prompt
  })
}
