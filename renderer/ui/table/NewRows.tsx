import { UnstyledButton } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { t } from '../../lib/i18n.ts'
import styles from './DataTable.module.css'

/** New rows that are not shown yet. `label` names them: "12 new runs". */
export type PendingRows = { readonly count: number; readonly label?: string; readonly onShow: () => void }

type Props = {
  readonly pendingRows: PendingRows | undefined
  /** True while a drawer covers the right part of the list. */
  readonly isBesideDrawer: boolean
}

/** Button that shows the rows that arrived while the list was paused: "12 new". */
export function NewRows({ pendingRows, isBesideDrawer }: Props) {
  if (pendingRows === undefined || pendingRows.count === 0) return null
  return (
    <UnstyledButton
      className={styles['newRows'] ?? ''}
      data-new-rows
      data-beside-drawer={isBesideDrawer || undefined}
      onClick={({ currentTarget }) => {
        // An element that is removed while focused fires no blur event.
        currentTarget.blur()
        pendingRows.onShow()
      }}
      aria-live="polite"
    >
      <IconArrowUp size={14} />
      {pendingRows.label ?? t('common:table.new', { count: pendingRows.count })}
    </UnstyledButton>
  )
}
