import { ActionIcon, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'

type Props = {
  readonly value: string
  /** Names what is copied, for the tooltip and screen readers. */
  readonly label?: string
}

export function CopyButton({ value, label = t('common:copy') }: Props) {
  const clipboard = useClipboard({ timeout: 1200 })
  const tooltip = clipboard.copied ? t('common:copied') : label
  return (
    <Tooltip label={tooltip}>
      <ActionIcon
        size={20}
        aria-label={tooltip}
        onClick={(event) => {
          event.stopPropagation()
          clipboard.copy(value)
        }}
      >
        {clipboard.copied ? <IconCheck size={13} /> : <IconCopy size={13} />}
      </ActionIcon>
    </Tooltip>
  )
}
