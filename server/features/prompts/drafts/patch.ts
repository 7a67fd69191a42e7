import type { z } from 'zod'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { UpdatePromptBody } from '../../../../contract/prompts/prompts.ts'
import type { Query } from '../../../db/types.ts'
import type { Context, Scope } from '../../../lib/context.ts'
import { requiredWorkspace } from '../../../resources/required-workspace.ts'
import { bodyOf, paramsOf, variablesOf, withSameText } from '../state/body.ts'
import type { Change } from '../state/changes.ts'
import { requireNotIncluded } from '../state/includers.ts'
import { requireFree, requireUnprotected, workspaceOf } from '../state/policy.ts'
import type { WholeRow } from '../state/prompts.store.ts'
import { draftOf, servedOf } from '../state/prompts.wire.ts'
import { requiredContent } from './content.ts'

/** Returns the change of a PATCH: absent leaves a field, null clears it. */
export async function changeFromPatch(
  q: Query,
  scope: Scope,
  row: WholeRow,
  before: Prompt,
  body: z.output<typeof UpdatePromptBody>,
): Promise<Change> {
  const draft = draftOf(row)
  const content = requiredContent(body, draft)
  return {
    workspace:
      body.workspace_id === undefined
        ? workspaceOf(row)
        : await requiredWorkspace(q, scope, body.workspace_id),
    name: body.name ?? before.name,
    description: body.description === undefined ? before.description : (body.description ?? ''),
    category: body.category === undefined ? before.category : body.category,
    tags: body.tags === undefined ? before.tags : (body.tags ?? []),
    body: bodyOf({
      ...content,
      unchanged: withSameText(content, [draft, servedOf(row)]),
      model: body.model === undefined ? draft.model : body.model,
      params: body.params === undefined ? paramsOf(draft) : (body.params ?? {}),
      variables: body.variables ?? variablesOf(draft),
    }),
  }
}

/** Throws if a prompt may not be moved. A move changes what both workspaces serve, so both must allow it. */
export async function requireMovable(
  q: Query,
  ctx: Context,
  row: WholeRow,
  { workspace }: Change,
): Promise<void> {
  if (row.version > 0) {
    requireUnprotected(ctx, workspaceOf(row), row.env)
    requireUnprotected(ctx, workspace, row.env)
  }
  await requireFree(q, workspace, { key: row.key, env: row.env, path: 'workspace_id' })
  await requireNotIncluded(q, row)
}
