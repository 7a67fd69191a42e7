import { UnstyledButton } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { t } from '../../lib/i18n.ts'
import styles from './DataTable.module.css'

/** New rows that are not shown yet. `label` names them: "12 new runs". */
export type Waiting = { readonly count: number; readonly label?: string; readonly onShow: () => void }

type Props = { readonly waiting: Waiting | undefined }

/** Button that shows the rows that arrived while the list was paused: "12 new". */
export function NewRows({ waiting }: Props) {
  if (waiting === undefined || waiting.count === 0) return null
  return (
    <UnstyledButton
      className={styles['new'] ?? ''}
      data-new-rows
      onClick={({ currentTarget }) => {
        // An element that is removed while focused fires no blur event.
        currentTarget.blur()
        waiting.onShow()
      }}
      aria-live="polite"
    >
      <IconArrowUp size={14} />
      {waiting.label ?? t('common:table.new', { count: waiting.count })}
    </UnstyledButton>
  )
}
