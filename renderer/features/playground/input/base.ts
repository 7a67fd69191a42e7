import { type QueryClient, useQuery } from '@tanstack/react-query'
import { includesIn } from '../../../../contract/formats/includes.ts'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { ResolvedPrompt } from '../../../../contract/prompts/prompt-resolved.ts'
import type { PromptVersion } from '../../../../contract/prompts/prompt-versions.ts'
import { asApiError } from '../../../lib/service/api.ts'
import { promptQuery } from '../../../shared/prompts/prompt.queries.ts'
import type { Base } from '../column/request.ts'
import { resolvedQuery, versionQuery } from '../playground.queries.ts'
import type { Setup } from '../playground.state.ts'

/** Returns the text of a version. `version` null is the draft, or the served text if there is no draft. */
export function baseOf(prompt: Prompt, version: PromptVersion | null): Base {
  const { id, workspace_id: workspaceId } = prompt
  if (version === null) {
    const { content, messages, params, variables } = prompt
    return { id, workspaceId, version: 'draft', content, messages, params, variables, included: [] }
  }
  return {
    id,
    workspaceId,
    version: version.version,
    content: version.content ?? '',
    messages: version.messages ?? null,
    params: version.params ?? {},
    variables: version.variables ?? [],
    included: [],
  }
}

const hasIncludes = ({ content }: Base): boolean => includesIn([content]).length > 0

const withIncluded = (base: Base, resolved: Pick<ResolvedPrompt, 'variables'>): Base => ({
  ...base,
  included: resolved.variables.filter(({ name }) => base.variables.every((own) => own.name !== name)),
})

const isNotFound = (error: unknown): boolean => asApiError(error)?.status === 404

/** Fetches a version of a prompt; null if the prompt or the version no longer exists. */
export async function fetchBase(queries: QueryClient, id: string, version: string): Promise<Base | null> {
  try {
    const prompt = await queries.ensureQueryData(promptQuery(id))
    if (prompt.deleted_at !== null) return null
    const base = baseOf(
      prompt,
      version === 'draft' ? null : await queries.ensureQueryData(versionQuery(id, version)),
    )
    return hasIncludes(base)
      ? withIncluded(base, await queries.ensureQueryData(resolvedQuery(id, version)))
      : base
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

export type OpenedPrompt = {
  readonly prompt: Prompt | undefined
  readonly base: Base | undefined
  /** True if the prompt was deleted or does not exist. */
  readonly isMissing: boolean
  readonly error: unknown
  readonly retry: () => void
}

/** Returns the open prompt and the version that the text came from, both updated live. */
export function useOpenPrompt(subject: Setup['subject']): OpenedPrompt {
  const { id = '', version = 'draft' } = subject ?? {}
  const isVersion = version !== 'draft'
  const prompt = useQuery({ ...promptQuery(id), enabled: subject !== null })
  const storedVersion = useQuery({ ...versionQuery(id, version), enabled: subject !== null && isVersion })
  const isMissing =
    isNotFound(prompt.error) ||
    isNotFound(storedVersion.error) ||
    (prompt.data !== undefined && prompt.data.deleted_at !== null)
  const loadedVersion = isVersion ? storedVersion.data : null
  const base =
    prompt.data === undefined || loadedVersion === undefined ? undefined : baseOf(prompt.data, loadedVersion)
  const resolved = useQuery({
    ...resolvedQuery(id, version),
    enabled: base !== undefined && hasIncludes(base),
  }).data
  return {
    prompt: prompt.data,
    base: base !== undefined && resolved !== undefined ? withIncluded(base, resolved) : base,
    isMissing: subject !== null && isMissing,
    error: isMissing ? null : (prompt.error ?? storedVersion.error),
    retry: () => void Promise.all([prompt.refetch(), isVersion ? storedVersion.refetch() : null]),
  }
}
