import { UnstyledButton } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { t } from '../lib/i18n.ts'
import styles from './DataTable.module.css'

/** Rows that wait. `label` names them: "12 new runs". */
export type Waiting = { readonly count: number; readonly label?: string; readonly onShow: () => void }

type Props = { readonly waiting: Waiting | undefined }

/** "12 new": rows that arrived while something was being read. */
export function NewRows({ waiting }: Props) {
  if (waiting === undefined || waiting.count === 0) return null
  return (
    <UnstyledButton
      className={styles['new'] ?? ''}
      data-new-rows
      onClick={({ currentTarget }) => {
        // What goes while it has the focus never tells that it lost it.
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
