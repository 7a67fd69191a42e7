import { ActionIcon, Tooltip } from '@mantine/core'
import { IconLink } from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import { copy } from '../../feedback/copy.ts'

type Props = { readonly label: string; readonly variant?: 'subtle' | 'default'; readonly size?: number }

/** Button that copies the address, which contains filters, period, order, page and the open row. */
export function CopyLink({ label, variant = 'subtle', size = 28 }: Props) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={variant}
        size={size}
        aria-label={label}
        onClick={() => void copy(location.href, t('common:link_copied'))}
      >
        <IconLink size={16} />
      </ActionIcon>
    </Tooltip>
  )
}
