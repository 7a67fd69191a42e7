import { UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import { t } from '../lib/i18n.ts'
import styles from './DataTable.module.css'

type Props = {
  readonly title: string
  /** The API's name of the column. */
  readonly sortKey: string
  /** The sort in force. */
  readonly sort: string | undefined
  readonly onSort: (sort: string) => void
}

/** A column's title that sorts by it; again turns the order round. */
export function SortTitle({ title, sortKey, sort, onSort }: Props) {
  const order = sort === sortKey ? 'up' : sort === `-${sortKey}` ? 'down' : 'none'
  const Icon = order === 'up' ? IconArrowUp : order === 'down' ? IconArrowDown : IconArrowsSort
  return (
    <UnstyledButton
      className={styles['sort'] ?? ''}
      data-order={order}
      aria-label={t(`common:table.sort.${order}`, { title })}
      onClick={() => onSort(order === 'up' ? `-${sortKey}` : sortKey)}
    >
      {title}
      <Icon size={13} />
    </UnstyledButton>
  )
}
