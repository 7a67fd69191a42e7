import { Button, CloseButton, Menu, Popover } from '@mantine/core'
import { IconChevronDown, IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import type { QueryInput } from '../../../contract/client.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { promptTransfer, type TransferFormat, transferFormats } from '../../../contract/prompt-transfer.ts'
import { client } from '../../lib/api.ts'
import { saveFile } from '../../lib/download.ts'
import { t } from '../../lib/i18n.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import styles from './prompts.module.css'
import { filtersOf, widestPage } from './prompts.queries.ts'
import type { PromptsSearch } from './prompts.search.ts'

const endings: Readonly<Record<TransferFormat, string>> = {
  json: 'json',
  yaml: 'yaml',
  markdown: 'md',
  promptops: 'json',
  langfuse: 'json',
}

/** Free text and drafts are no filter of the export: the rows they find are named one by one. */
async function queryOf(search: PromptsSearch): Promise<QueryInput> {
  const { q, draft, include: _, ...filters } = { include: undefined, draft: undefined, ...filtersOf(search) }
  if (q === undefined && draft === undefined) return filters
  const found = await client.prompts.list({
    query: { ...filters, q, draft, fields: 'summary', limit: widestPage },
  })
  return { id: found.data.map(({ id }) => id) }
}

const nameIn = (header: string | null): string | undefined => /filename="?([^";]+)"?/.exec(header ?? '')?.[1]

/** Saves the prompts the filters show, in the form another tool reads. */
export function ExportPrompts({ search, total }: { readonly search: PromptsSearch; readonly total: number }) {
  const button = useRef<HTMLButtonElement>(null)
  const saving = useMutation({
    mutationFn: async (format: TransferFormat) => {
      const query = { ...(await queryOf(search)), format }
      const endpoint = promptTransfer.export as unknown as Endpoint
      const response = await client.download(endpoint, { query })
      const file = await response.blob()
      const name = nameIn(response.headers.get('content-disposition'))
      saveFile(name ?? `prompts.${endings[format]}`, [file], file.type)
    },
  })
  const isNarrowed = search.q !== undefined || search.draft !== undefined
  const isTooMany = isNarrowed && total > widestPage
  const dismiss = (): void => {
    saving.reset()
    button.current?.focus()
  }
  return (
    <Popover
      opened={saving.isError}
      onClose={dismiss}
      position="bottom-end"
      width={360}
      trapFocus
      withRoles={false}
    >
      <Popover.Target>
        <span>
          <Menu position="bottom-end" width={240}>
            <Menu.Target>
              <Button
                ref={button}
                variant="default"
                loading={saving.isPending}
                leftSection={<IconDownload size={14} />}
                rightSection={<IconChevronDown size={14} />}
              >
                {t('common:export.button')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>
                {isTooMany ? t('prompts:export.first', { count: widestPage }) : t('common:export.what')}
              </Menu.Label>
              {transferFormats.map((format) => (
                <Menu.Item key={format} onClick={() => saving.mutate(format)}>
                  {t(`transfer:format.${format}`)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </span>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label={t('common:export.failed')}>
        <div className={styles['failHead']}>
          {t('common:export.failed')}
          <CloseButton size="sm" aria-label={t('common:close')} onClick={dismiss} />
        </div>
        <ErrorState
          error={saving.error}
          onRetry={saving.variables === undefined ? undefined : () => saving.mutate(saving.variables)}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
