import { Button, CloseButton, Menu, Popover } from '@mantine/core'
import { IconChevronDown, IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import type { QueryInput } from '../../../contract/client.ts'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import type { ExportPreview, TransferFormat } from '../../../contract/prompts/prompt-transfer.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { fileNameIn, saveFile } from '../../lib/service/download.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import styles from './export.module.css'

const extensions: Readonly<Record<TransferFormat, string>> = {
  json: 'json',
  yaml: 'yaml',
  markdown: 'md',
  promptops: 'json',
  langfuse: 'json',
  openai: 'json',
  promptfoo: 'yaml',
  dotprompt: 'prompt',
}

/** Loads with the first export that is not complete. */
const ExportLosses = lazy(() => import('./ExportLosses.tsx'))

type Props = {
  /** Returns a file. Its query accepts `format`. */
  readonly endpoint: Endpoint
  readonly formats: readonly TransferFormat[]
  /** Returns what a file of a format would not contain. Absent: every format contains everything. */
  readonly previewOf?: ((query: QueryInput) => Promise<ExportPreview>) | undefined
  /** Returns what is exported: filters, or the ids of what they match. Called when the export starts. */
  readonly queryOf: () => QueryInput | Promise<QueryInput>
  /** Name of the file without its extension, if the service sends none. */
  readonly fallbackName: string
  /** Heading above the formats that names what is exported; by default the filtered rows. */
  readonly heading?: string | undefined
  readonly size?: 'compact-sm'
  /** Width of the menu, in pixels. */
  readonly width: number
}

/** Menu that exports rows to a file in the chosen format. An error is shown at the button. */
export function ExportButton(props: Props) {
  const { endpoint, formats, queryOf, previewOf, fallbackName, heading, size, width } = props
  const button = useRef<HTMLButtonElement>(null)
  const [preview, setPreview] = useState<ExportPreview | null>(null)
  const saving = useMutation({
    mutationFn: async ({ format, isConfirmed }: { format: TransferFormat; isConfirmed: boolean }) => {
      const query = { ...(await queryOf()), format }
      const losses = isConfirmed ? undefined : await previewOf?.(query)
      if (losses !== undefined && losses.losses.length > 0) return setPreview(losses)
      const response = await client.download(endpoint, { query })
      const file = await response.blob()
      const name = fileNameIn(response.headers.get('content-disposition'))
      saveFile(name ?? `${fallbackName}.${extensions[format]}`, [file], file.type)
      setPreview(null)
    },
    onError: () => setPreview(null),
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
          <Menu position="bottom-end" width={width}>
            <Menu.Target>
              <Button
                ref={button}
                variant="default"
                {...(size !== undefined && { size })}
                loading={saving.isPending}
                leftSection={<IconDownload size={14} />}
                rightSection={<IconChevronDown size={14} />}
              >
                {t('common:export.button')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>{heading ?? t('common:export.filtered')}</Menu.Label>
              {formats.map((format) => (
                <Menu.Item key={format} onClick={() => saving.mutate({ format, isConfirmed: false })}>
                  {t(`transfer:format.${format}`)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          {preview !== null && (
            <Suspense fallback={null}>
              <ExportLosses
                preview={preview}
                isPending={saving.isPending}
                onExport={() => saving.mutate({ format: preview.format, isConfirmed: true })}
                onClose={() => setPreview(null)}
              />
            </Suspense>
          )}
        </span>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label={t('transfer:export_failed')}>
        <div className={styles['failureHead']}>
          {t('transfer:export_failed')}
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
