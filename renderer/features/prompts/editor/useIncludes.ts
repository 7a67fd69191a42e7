import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { maxPageSize } from '../../../../contract/common/fields.ts'
import { type Include, includesIn, includeText } from '../../../../contract/formats/includes.ts'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import type { IncludeState, IncludeSupport } from '../../../shared/templates/templateIncludes.ts'
import { includedQuery, resolvedQuery } from '../prompts.queries.ts'

/** Number of keys that autocompletion offers. */
const maxSuggestions = 20

export type IncludeRow = {
  /** Such as `{{> footer@v3}}`. */
  readonly text: string
  readonly include: Include
  /** The included prompt; null if there is none. */
  readonly target: Pick<PromptRow, 'id' | 'version'> | null
  readonly state: IncludeState
  /** Reason why the include cannot be replaced; null if it can. */
  readonly problem: string | null
}

export type Includes = {
  readonly rows: readonly IncludeRow[]
  /** True for a text that was saved before prompts could include others: its includes are text. */
  readonly isLiteral: boolean
  readonly support: IncludeSupport
  readonly includedBy: readonly {
    readonly id: string
    readonly key: string
    readonly version: string | null
  }[]
}

const numberOf = (version: string | null): number => (version === null ? 0 : Number(version.slice(1)))

/** Returns the reason why an include cannot be replaced by this prompt; null if it can. */
function problemOf({ key, version }: Include, target: PromptRow | undefined, prompt: Prompt): string | null {
  if (key === prompt.key) return t('prompt:includes.itself')
  if (target === undefined) return t('prompt:includes.missing', { env: prompt.env })
  if (target.version === null) return t('prompt:includes.unpublished', { env: prompt.env })
  if (version !== null && version > numberOf(target.version))
    return t('prompt:includes.no_version', { version: `v${version}` })
  return version === null && target.served?.type === 'chat' ? t('prompt:includes.chat') : null
}

/** Returns the prompts that the edited texts include, and those that include the prompt. */
export function useIncludes(prompt: Prompt, texts: readonly string[]): Includes {
  const navigate = useNavigate()
  const includes = useMemo(() => includesIn(texts), [texts])
  const keys = useMemo(() => [...new Set(includes.map(({ key }) => key))], [includes])
  const { workspace_id: workspace, env } = prompt
  const found = useQuery({ ...includedQuery({ workspace, env, keys }), enabled: keys.length > 0 })
  const resolved = useQuery(resolvedQuery(prompt)).data
  const rows = useMemo(
    () =>
      includes.map((include): IncludeRow => {
        const isKnown = found.data !== undefined && keys.indexOf(include.key) < maxPageSize
        const target = found.data?.find(({ key }) => key === include.key)
        const problem = isKnown ? problemOf(include, target, prompt) : null
        const state = !isKnown ? 'unknown' : problem === null ? 'served' : 'missing'
        return { text: includeText(include), include, target: target ?? null, state, problem }
      }),
    [includes, keys, found.data, prompt],
  )
  const support = useMemo(
    (): IncludeSupport => ({
      states: new Map(rows.map(({ text, state }) => [text, state])),
      suggest: async (q) => {
        const query = { workspace, env, limit: maxSuggestions, ...(q !== '' && { q }) }
        const { data } = await client.promptKeys.list({ query })
        return data.map(({ key }) => key).filter((key) => key !== prompt.key)
      },
      open: (key) => {
        const id = rows.find(({ include }) => include.key === key)?.target?.id
        if (id !== undefined) void navigate({ to: '/prompts/$id', params: { id } })
      },
      titleOf: (text, state) =>
        t(state === 'missing' ? 'prompt:includes.title_missing' : 'prompt:includes.title', { text }),
    }),
    [rows, workspace, env, prompt.key, navigate],
  )
  const isLiteral =
    rows.length > 0 &&
    resolved !== undefined &&
    resolved.included.length + resolved.problems.length === 0 &&
    resolved.content === texts.join('')
  return { rows, isLiteral, support, includedBy: resolved?.included_by ?? [] }
}
