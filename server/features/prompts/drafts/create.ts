import type { z } from 'zod'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { CreatePromptBody, DuplicatePromptBody } from '../../../../contract/prompts/prompts.ts'
import type { Db } from '../../../db/types.ts'
import type { History } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import type { NewId } from '../../../lib/ids.ts'
import { copyOf } from '../../../resources/keys.ts'
import { requiredWorkspace } from '../../../resources/required-workspace.ts'
import { bodyOf } from '../state/body.ts'
import { addDraft, serve } from '../state/changes.ts'
import { required, requireFree, requireUnprotected, workspaceOf } from '../state/policy.ts'
import { idAt } from '../state/prompts.store.ts'
import { draftOf, factsOf, framesWithDependents, toWire } from '../state/prompts.wire.ts'
import { requiredContent } from './content.ts'
import { versionMessage } from './label.ts'

type Deps = { readonly db: Db; readonly history: Pick<History, 'record'>; readonly newId: NewId }
type CreateBody = z.output<typeof CreatePromptBody>

/** Returns the fields of a new prompt. Without a name, the key is its name. */
const fieldsOf = (body: CreateBody) => ({
  key: body.key,
  name: body.name ?? body.key,
  description: body.description ?? '',
  category: body.category ?? null,
  tags: body.tags ?? [],
  body: bodyOf({
    ...requiredContent(body, null),
    model: body.model ?? null,
    params: body.params ?? {},
    variables: body.variables ?? [],
  }),
})

/** Creates a prompt, published as v1 or as a draft. */
export function createPrompt({ db, history, newId }: Deps, ctx: Context, body: CreateBody): Promise<Prompt> {
  return db.write(async (tx) => {
    const workspace = await requiredWorkspace(tx.q, ctx.scope, body.workspace_id ?? 'default')
    const { key, env } = body
    const fields = fieldsOf(body)
    // An empty prompt cannot be served, so it begins as a draft unless the request sets `draft`.
    const isDraft = body.draft ?? fields.body.content === ''
    if (!isDraft) requireUnprotected(ctx, workspace, env)
    await requireFree(tx.q, workspace, { key, env })
    const draft = await addDraft(tx, ctx, { id: newId(), workspace, env, ...fields })
    const message = versionMessage(body.version ?? null, 1, body.message)
    const origin = { kind: 'create', message, draft: 'replaced' } as const
    const row = isDraft ? draft : await serve(tx, ctx, draft, draftOf(draft), origin)
    const prompt = toWire(row)
    await history.record(tx, ctx, {
      action: 'create',
      resource: 'prompt',
      resourceId: row.id,
      key,
      workspaceId: workspace.id,
      summary: `Created the prompt ${key} in ${env}${isDraft ? ' as a draft' : ' and published v1'}`,
      after: factsOf(prompt),
      promptEvents: await framesWithDependents(tx.q, 'prompt.created', row),
    })
    return prompt
  })
}

/** Duplicates a prompt. The copy is a draft, so that nothing is served without a publish. */
export function duplicatePrompt(
  { db, history, newId }: Deps,
  ctx: Context,
  id: string,
  body: z.output<typeof DuplicatePromptBody>,
): Promise<Prompt> {
  return db.write(async (tx) => {
    const row = await required(tx.q, ctx.scope, id)
    const requestedWorkspace = body.workspace_id
    const workspace =
      requestedWorkspace === undefined
        ? workspaceOf(row)
        : await requiredWorkspace(tx.q, ctx.scope, requestedWorkspace)
    const env = body.env ?? row.env
    const isSamePlace = env === row.env && workspace.id === row.workspace_id
    const isTaken = async (key: string) =>
      (await idAt(tx.q, { workspaceId: workspace.id, key, env })) !== undefined
    const { key, name } = await copyOf(row, body, isSamePlace, isTaken)
    await requireFree(tx.q, workspace, { key, env })
    const { description, category } = row
    const copied = { description, category, tags: JSON.parse(row.tags), body: draftOf(row) }
    const copy = await addDraft(tx, ctx, { id: newId(), workspace, key, env, name, ...copied })
    const prompt = toWire(copy)
    await history.record(tx, ctx, {
      action: 'create',
      resource: 'prompt',
      resourceId: copy.id,
      key,
      workspaceId: workspace.id,
      summary: `Created the prompt ${key} in ${env} as a draft, copied from ${row.key} in ${row.env}`,
      after: factsOf(prompt),
    })
    return prompt
  })
}
