import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { Db } from '../../../db/types.ts'
import type { History } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import { labelOf } from '../../../resources/versions.ts'
import { setDeleted } from '../state/changes.ts'
import { requireNotIncluded } from '../state/includers.ts'
import {
  requireCurrent,
  required,
  requiredDeleted,
  requireFree,
  requireUnprotected,
  workspaceOf,
} from '../state/policy.ts'
import { factsOf, framesOf, framesWithDependents, servedOf, toWire } from '../state/prompts.wire.ts'
import { requireResolvable } from '../state/resolve.ts'

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
      if (row.version > 0) requireUnprotected(ctx, workspaceOf(row), row.env)
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
    const served = servedOf(after)
    // What it includes may have been deleted meanwhile.
    if (served !== null) await requireResolvable(tx.q, { workspaceId: row.workspace_id, key, env }, served)
    const prompt = toWire(after)
    const servedAs = row.version === 0 ? '' : `, served as ${labelOf(row.version)} again`
    await history.record(tx, ctx, {
      action: 'restore',
      resource: 'prompt',
      resourceId: id,
      key,
      workspaceId: row.workspace_id,
      summary: `Restored the prompt ${key} in ${env}${servedAs}`,
      before: { deleted_at: toWire(row).deleted_at },
      after: factsOf(prompt),
      promptEvents: await framesWithDependents(tx.q, 'prompt.created', after),
    })
    return prompt
  })
}
