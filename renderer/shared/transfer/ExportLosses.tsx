import { Button, Group, Stack, Text } from '@mantine/core'
import type { ExportPreview } from '../../../contract/prompts/prompt-transfer.ts'
import { t } from '../../lib/i18n.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import styles from './import.module.css'

type Props = {
  readonly preview: ExportPreview
  readonly isPending: boolean
  readonly onExport: () => void
  readonly onClose: () => void
}

/** Dialog before an export, with the fields that the chosen format does not contain. */
export default function ExportLosses({ preview, isPending, onExport, onClose }: Props) {
  const { format, prompts, complete, losses, truncated } = preview
  const title = t('transfer:losses.title', { format: t(`transfer:format.${format}`) })
  return (
    <Dialog onClose={onClose} title={title} size={760}>
      <Stack gap="lg">
        <Text size="sm" role="status">
          {t('transfer:losses.summary', { count: prompts - complete, total: prompts })}
        </Text>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
        <section className={styles['preview']} aria-label={title} tabIndex={0}>
          <table className={styles['plain']} aria-label={title}>
            <thead>
              <tr>
                <th scope="col">{t('transfer:import.key')}</th>
                <th scope="col">{t('transfer:losses.field')}</th>
                <th scope="col">{t('transfer:import.details')}</th>
              </tr>
            </thead>
            <tbody>
              {losses.map(({ key, env, field, message }) => (
                <tr key={`${env} ${key} ${field} ${message}`}>
                  <td>
                    <span className="mono">{key}</span>
                    <div className="dimmed">{env}</div>
                  </td>
                  <td className="mono">{field}</td>
                  <td>{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        {truncated && (
          <Text size="xs" c="dimmed">
            {t('transfer:losses.more', { count: losses.length })}
          </Text>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button loading={isPending} onClick={onExport} data-autofocus>
            {t('transfer:losses.export')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
