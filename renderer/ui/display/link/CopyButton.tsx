import { ActionIcon, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import { useCopy } from '../../feedback/copy.ts'

type Props = {
  readonly value: string
  /** Names what is copied, for the tooltip and screen readers. */
  readonly label?: string
}

export function CopyButton({ value, label = t('common:copy') }: Props) {
  const clipboard = useCopy()
  const tooltip = clipboard.isCopied ? t('common:copied') : label
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
        {clipboard.isCopied ? <IconCheck size={13} /> : <IconCopy size={13} />}
      </ActionIcon>
    </Tooltip>
  )
}
