import { type Prompt, trashDays } from '../../../../contract/prompts/prompt.ts'
import type { PromptVersion } from '../../../../contract/prompts/prompt-versions.ts'
import type { Query } from '../../../db/types.ts'
import type { PromptFacts } from '../../../history/history.ts'
import { dayMs } from '../../../lib/durations.ts'
import { timeOf } from '../../../resources/changes.ts'
import { labelOf } from '../../../resources/versions.ts'
import type { VersionRow } from './bodies.store.ts'
import { type Body, messagesOf, paramsOf, typeOf, variablesOf } from './body.ts'
import { dependentsOf } from './includes.store.ts'
import type { WholeRow } from './prompts.store.ts'

/** Time for which a deleted prompt can be restored, in milliseconds. */
export const trashMs = trashDays * dayMs

/** Returns true if the comma-separated list contains the environment. */
export const isProtected = (protectedEnvs: string, env: string): boolean =>
  protectedEnvs.split(',').includes(env)

/**
 * Returns the ETag of a prompt. It depends on the prompt's changes and on whether its environment is
 * protected.
 */
export const etagOf = (row: Pick<WholeRow, 'revision' | 'env' | 'protected_envs'>): string =>
  `"${row.revision}${isProtected(row.protected_envs, row.env) ? 'p' : ''}"`

/** Returns the served version; null if the prompt was never published. */
export function servedOf(row: WholeRow): Body | null {
  const { served_content: content, served_model: model, served_variables: variables } = row
  const { served_messages: messages, served_params: params, served_has_includes: includes } = row
  if (content === null || variables === null) return null
  return { content, model, variables, messages, params, has_includes: includes ?? 0 }
}

/** Returns the draft, or the served text if there is no draft. */
export function draftOf(row: WholeRow): Body {
  const { draft_content: content, draft_model: model, draft_variables: variables } = row
  const { draft_messages: messages, draft_params: params, draft_has_includes: includes } = row
  if (content !== null && variables !== null)
    return { content, model, variables, messages, params, has_includes: includes ?? 0 }
  const served = servedOf(row)
  if (served === null) throw new Error(`The prompt ${row.id} has neither a draft nor a version`)
  return served
}

const bodyToWire = (body: Body) => ({
  type: typeOf(body),
  content: body.content,
  messages: messagesOf(body),
  model: body.model,
  params: paramsOf(body),
  variables: variablesOf(body),
})

export function toWire(row: WholeRow): Prompt {
  const served = servedOf(row)
  const { deleted_at: deletedAt } = row
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    key: row.key,
    folder: row.folder,
    name: row.name,
    description: row.description,
    ...bodyToWire(draftOf(row)),
    env: row.env,
    category: row.category,
    tags: JSON.parse(row.tags),
    version: row.version === 0 ? null : labelOf(row.version),
    has_draft: row.has_draft === 1,
    served: served && { version: labelOf(row.version), ...bodyToWire(served) },
    protected: isProtected(row.protected_envs, row.env),
    published_at: row.published_at === null ? null : timeOf(row.published_at),
    created_by: row.created_by,
    updated_by: row.updated_by,
    created_at: timeOf(row.created_at),
    updated_at: timeOf(row.updated_at),
    deleted_at: deletedAt === null ? null : timeOf(deletedAt),
    restorable_until: deletedAt === null ? null : timeOf(deletedAt + trashMs),
    etag: etagOf(row),
  }
}

export function versionToWire(row: VersionRow, served: number, isSummary: boolean): PromptVersion {
  const { from_env: env, from_version: from } = row
  return {
    version: labelOf(row.version),
    kind: row.kind,
    from: env === null || from === null ? null : { env, version: labelOf(from) },
    message: row.message,
    served: row.version === served,
    type: typeOf(row),
    model: row.model,
    ...(!isSummary && bodyToWire(row)),
    size_bytes: Buffer.byteLength(row.content),
    created_by: row.created_by,
    created_at: timeOf(row.created_at),
  }
}

/** Returns the fields that the audit log compares: those that people change. */
export function factsOf(prompt: Prompt): Readonly<Record<string, unknown>> {
  const {
    etag,
    updated_at,
    updated_by,
    published_at,
    protected: _,
    restorable_until,
    served,
    ...facts
  } = prompt
  return facts
}

/** Returns the served fields that the audit log compares. */
export function servedFacts(prompt: Prompt): Readonly<Record<string, unknown>> {
  return {
    version: prompt.version,
    type: prompt.served?.type ?? null,
    content: prompt.served?.content ?? null,
    messages: prompt.served?.messages ?? null,
    model: prompt.served?.model ?? null,
    params: prompt.served?.params ?? {},
    variables: prompt.served?.variables ?? [],
    has_draft: prompt.has_draft,
  }
}

type PromptIdentity = Pick<WholeRow, 'id' | 'key' | 'env' | 'version' | 'workspace_id'>

/** Returns the frames for SDKs. There are none for a prompt without a version: drafts never reach SDKs. */
export function framesOf(type: PromptFacts['type'], row: PromptIdentity): PromptFacts[] {
  const { id, key, env, version, workspace_id } = row
  return version === 0 ? [] : [{ type, id, key, env, version: labelOf(version), workspace_id }]
}

/** Returns the frames of a move to another workspace, for both workspaces, with those of dependent prompts. */
export const framesOfMove = async (
  q: Query,
  from: PromptIdentity,
  to: PromptIdentity,
): Promise<PromptFacts[]> => [
  ...(await framesWithDependents(q, 'prompt.deleted', from)),
  ...(await framesWithDependents(q, 'prompt.created', to)),
]

/** Returns the frames of `framesOf`, and an update frame of each prompt that includes this one. */
export async function framesWithDependents(
  q: Query,
  type: PromptFacts['type'],
  row: PromptIdentity,
): Promise<PromptFacts[]> {
  const { workspace_id: workspaceId, key, env } = row
  const dependents = await dependentsOf(q, { workspaceId, key, env })
  return [...framesOf(type, row), ...dependents.flatMap((dependent) => framesOf('prompt.updated', dependent))]
}
