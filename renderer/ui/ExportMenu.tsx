import { Button, CloseButton, Menu, Popover } from '@mantine/core'
import { IconChevronDown, IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import type { QueryInput } from '../../contract/client.ts'
import { exportFormats } from '../../contract/common.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { download } from '../lib/download.ts'
import { t } from '../lib/i18n.ts'
import { ErrorState } from './ErrorState.tsx'
import styles from './ExportMenu.module.css'

type Props = {
  readonly endpoint: Endpoint
  /** The filters in force, asked for when the export starts. */
  readonly query: () => QueryInput
  /** The file's name without its ending, should the service not give one. */
  readonly fileName: string
}

/** Saves what the filters show as a file. What goes wrong is said at the button. */
export function ExportMenu({ endpoint, query, fileName }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const saving = useMutation({
    mutationFn: (format: (typeof exportFormats)[number]) =>
      download(endpoint, { ...query(), format }, `${fileName}.${format}`),
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
          <Menu position="bottom-end" width={180}>
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
              {exportFormats.map((format) => (
                <Menu.Item key={format} onClick={() => saving.mutate(format)}>
                  {t(`common:export.${format}`)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </span>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label={t('common:export.failed')}>
        <div className={styles['head']}>
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
