import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconMessage2Code } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { useShellSearch } from '../../../lib/page/address.ts'
import { asApiError } from '../../../lib/service/api.ts'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import styles from '../playground.module.css'
import { promptChoicesQuery } from '../playground.queries.ts'
import type { Setup } from '../playground.state.ts'

type Props = {
  readonly subject: Setup['subject']
  readonly prompt: Prompt | undefined
  readonly onPick: (id: string) => void
  readonly onClear: () => void
}

const fieldId = 'playground-prompt'
/** Debounce of the search while typing, in milliseconds. */
const pauseMs = 200

export const focusPicker = (): void => document.getElementById(fieldId)?.focus()

/** A select that searches prompts of the current workspace by key, name, tags and text. */
export function PromptPicker({ subject, prompt, onPick, onClear }: Props) {
  const [{ workspace }] = useShellSearch()
  const openKey = subject?.key ?? ''
  const [typed, setTyped] = useState(openKey)
  const [previousKey, setPreviousKey] = useState(openKey)
  // The open prompt changed, by a link, the history or this field.
  if (previousKey !== openKey) {
    setPreviousKey(openKey)
    setTyped(openKey)
  }
  const searchText = typed === openKey ? '' : typed.trim()
  const [debounced] = useDebouncedValue(searchText, pauseMs)
  const query = useQuery(promptChoicesQuery(debounced, workspace))
  const workspaces = useQuery(workspaceChoicesQuery).data
  const rows = new Map(
    [...(query.data ?? []), ...(prompt === undefined ? [] : [prompt])].map((row) => [row.id, row]),
  )
  const nameOf = (id: string): string => workspaces?.find((candidate) => candidate.id === id)?.name ?? id
  return (
    <Select
      id={fieldId}
      size="xs"
      flex={1}
      searchable
      clearable
      aria-label={t('playground:source.choose')}
      placeholder={t('playground:source.placeholder')}
      leftSection={<IconMessage2Code size={14} />}
      clearButtonProps={{ 'aria-label': t('playground:source.detach') }}
      value={subject?.id ?? null}
      searchValue={typed}
      onSearchChange={setTyped}
      data={[...rows.values()].map(({ id, key }) => ({ value: id, label: key }))}
      // The service has filtered already.
      filter={({ options }) => options}
      limit={40}
      maxDropdownHeight={320}
      comboboxProps={{ width: 420, position: 'bottom-start' }}
      nothingFoundMessage={
        query.error === null
          ? t(query.isPending ? 'common:loading' : 'playground:source.none')
          : (asApiError(query.error)?.message ?? t('common:error.unknown'))
      }
      renderOption={({ option }) => {
        const row = rows.get(option.value)
        return (
          <span className={styles['choice']}>
            <bdi className="mono truncate">{option.label}</bdi>
            {row !== undefined && <EnvBadge env={row.env} />}
            {row !== undefined && workspaces !== undefined && workspaces.length > 1 && (
              <bdi className={`dimmed truncate ${styles['workspace']}`}>{nameOf(row.workspace_id)}</bdi>
            )}
          </span>
        )
      }}
      onChange={(id) => (id === null ? onClear() : onPick(id))}
    />
  )
}
