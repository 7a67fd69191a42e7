import { UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import { t } from '../../lib/i18n.ts'
import styles from './DataTable.module.css'

type Props = {
  readonly title: string
  /** The visible text, if it is shorter than the title. */
  readonly shortTitle?: string | undefined
  /** The column's name in the API. */
  readonly sortKey: string
  /** The active order. */
  readonly sort: string | undefined
  /** True if the first click sorts from the highest to the lowest value. */
  readonly isHighestFirst: boolean
  readonly onSort: (sort: string) => void
}

/** Column title that sorts by the column. A second click reverses the order. */
export function SortTitle({ title, shortTitle = title, sortKey, sort, isHighestFirst, onSort }: Props) {
  const order = sort === sortKey ? 'up' : sort === `-${sortKey}` ? 'down' : 'none'
  const isNextDown = order === 'none' ? isHighestFirst : order === 'up'
  const Icon = order === 'up' ? IconArrowUp : order === 'down' ? IconArrowDown : IconArrowsSort
  return (
    <UnstyledButton
      className={styles['sort'] ?? ''}
      data-order={order}
      aria-label={t(`common:table.sort.${order}`, { title })}
      onClick={() => onSort(isNextDown ? `-${sortKey}` : sortKey)}
    >
      {shortTitle}
      <Icon size={13} />
    </UnstyledButton>
  )
}
