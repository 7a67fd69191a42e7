import { Button, Menu } from '@mantine/core'
import { IconChevronDown, IconDownload } from '@tabler/icons-react'
import { exportFormats } from '../../../contract/common/fields.ts'
import { t } from '../../lib/i18n.ts'
import type { ExportRequest } from './exports.ts'

type Props = Omit<ExportRequest, 'format'>

/**
 * Button that exports the filtered rows as CSV, with a menu of the formats. `ExportTray` shows the progress on
 * every page.
 */
export function ExportMenu(props: Props) {
  const start = (format: ExportRequest['format']): void =>
    void import('./exports.ts').then(({ startExport }) => startExport({ ...props, format }))
  return (
    <Button.Group>
      <Button variant="default" leftSection={<IconDownload size={14} />} onClick={() => start('csv')}>
        {t('common:export.csv_button')}
      </Button>
      <Menu position="bottom-end" width={180}>
        <Menu.Target>
          <Button variant="default" px={6} aria-label={t('common:export.formats')}>
            <IconChevronDown size={14} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('common:export.filtered')}</Menu.Label>
          {exportFormats.map((format) => (
            <Menu.Item key={format} onClick={() => start(format)}>
              {t(`common:export.${format}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Button.Group>
  )
}
