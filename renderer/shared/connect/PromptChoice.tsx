import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Environment } from '../../../contract/common/environments.ts'
import { chatPlaceholders } from '../../../contract/models/chat.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import styles from './ConnectExamples.module.css'
import type { SnippetPrompt } from './snippets/promptLines.ts'

/** Debounce of the search while typing, in milliseconds. */
const debounceMs = 200
const maxChoices = 40

type Place = { readonly workspace: string; readonly env: Environment }

/** Fetches the prompt with this key as its workspace and environment serve it. Without a key, `prompt` is null. */
export function useSnippetPrompt(key: string | null, { workspace, env }: Place) {
  const { data } = useQuery({
    queryKey: ['prompt', 'snippet', workspace, env, key],
    enabled: key !== null,
    queryFn: async ({ signal }): Promise<SnippetPrompt | null> => {
      const { data } = await client.prompts.list({ query: { workspace, env, key: key ?? '' } }, { signal })
      const [found] = data
      const served = found?.served
      if (found === undefined || served == null) return null
      return {
        key: found.key,
        isChat: served.type === 'chat',
        variables: (served.variables ?? []).map(({ name }) => name),
        placeholders: chatPlaceholders(served.messages ?? []),
      }
    },
  })
  return { prompt: key === null ? null : (data ?? null), isMissing: key !== null && data === null }
}

type Props = Place & {
  /** Key of the chosen prompt; null for an example. */
  readonly value: string | null
  readonly onChange: (key: string | null) => void
  /** True if the chosen prompt is not served in this environment. */
  readonly isMissing: boolean
}

/** The field for the prompt that the snippets use. */
export function PromptChoice({ workspace, env, value, onChange, isMissing }: Props) {
  const [typed, setTyped] = useState(value ?? '')
  const [text] = useDebouncedValue(typed === (value ?? '') ? '' : typed.trim(), debounceMs)
  const { data = [] } = useQuery({
    queryKey: ['prompt', 'snippet choices', workspace, env, text],
    queryFn: async ({ signal }) => {
      const query = {
        workspace,
        env,
        limit: maxChoices,
        fields: 'summary',
        ...(text !== '' && { q: text }),
      } as const
      const rows = (await client.prompts.list({ query }, { signal })).data
      return rows.filter(({ served }) => served !== null).map(({ key }) => key)
    },
    placeholderData: keepPreviousData,
  })
  return (
    <Select
      label={t('connect:prompt')}
      className={styles['select'] ?? ''}
      placeholder={t('connect:prompt_example')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('connect:prompt_clear') }}
      data={[...new Set([...data, ...(value === null ? [] : [value])])]}
      // The service has filtered already.
      filter={({ options }) => options}
      value={value}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={onChange}
      nothingFoundMessage={t('connect:prompt_none')}
      error={isMissing ? t('connect:prompt_missing', { env }) : null}
    />
  )
}
