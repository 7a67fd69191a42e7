import { Button, CloseButton, Menu, Popover } from '@mantine/core'
import { IconChevronDown, IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { agents } from '../../../contract/agents.ts'
import type { QueryInput } from '../../../contract/client.ts'
import { type DefinitionFormat, definitionFormats } from '../../../contract/definition.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { workflows } from '../../../contract/workflows.ts'
import { client } from '../../lib/api.ts'
import { saveFile } from '../../lib/download.ts'
import { t } from '../../lib/i18n.ts'
import { ErrorState } from '../ErrorState.tsx'
import styles from '../transfer/import.module.css'
import type { Kind } from './definition.ts'

const nameIn = (header: string | null): string | undefined => /filename="?([^";]+)"?/.exec(header ?? '')?.[1]

type Props = {
  readonly kind: Kind
  /** What is exported: the filters of the list, or one by its id. */
  readonly query: QueryInput
}

/** Saves what the filters show, as a file the import reads. */
export function DefinitionExport({ kind, query }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const saving = useMutation({
    mutationFn: async (format: DefinitionFormat) => {
      const endpoint = (kind === 'agent' ? agents : workflows).export as unknown as Endpoint
      const response = await client.download(endpoint, { query: { ...query, format } })
      const file = await response.blob()
      const name = nameIn(response.headers.get('content-disposition'))
      saveFile(name ?? `${kind}s.${format}`, [file], file.type)
    },
  })
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
          <Menu position="bottom-end" width={200}>
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
              <Menu.Label>{t('common:export.what')}</Menu.Label>
              {definitionFormats.map((format) => (
                <Menu.Item key={format} onClick={() => saving.mutate(format)}>
                  {t(`transfer:format.${format}`)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </span>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label={t('definition:export_failed')}>
        <div className={styles['failHead']}>
          {t('definition:export_failed')}
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
