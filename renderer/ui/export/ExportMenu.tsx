import { Button, Menu } from '@mantine/core'
import { IconChevronDown, IconDownload } from '@tabler/icons-react'
import { exportFormats } from '../../../contract/common/fields.ts'
import { t } from '../../lib/i18n.ts'
import type { ExportRequest } from './exports.ts'

type Props = Omit<ExportRequest, 'format'>

/** Menu that exports the filtered rows to a file. `ExportTray` shows the progress on every page. */
export function ExportMenu(props: Props) {
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={14} />}
          rightSection={<IconChevronDown size={14} />}
        >
          {t('common:export.button')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('common:export.filtered')}</Menu.Label>
        {exportFormats.map((format) => (
          <Menu.Item
            key={format}
            onClick={() =>
              void import('./exports.ts').then(({ startExport }) => startExport({ ...props, format }))
            }
          >
            {t(`common:export.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
