import { ActionIcon, Tooltip } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import styles from './drawer.module.css'

type Props = {
  /** The displayed value. */
  readonly text: string
  /** The label of the field. */
  readonly field: string
  readonly isMono?: boolean
  readonly onFilter: () => void
}

/** A value with a button that filters the list by it. */
export function FilterTo({ text, field, isMono = false, onFilter }: Props) {
  const label = t('runs:filter.to', { field, value: text })
  return (
    <span className={styles['value']}>
      <bdi className={isMono ? 'mono' : ''}>{text}</bdi>
      <Tooltip label={label}>
        <ActionIcon size={20} aria-label={label} onClick={onFilter}>
          <IconFilter size={13} />
        </ActionIcon>
      </Tooltip>
    </span>
  )
}
