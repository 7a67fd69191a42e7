import { ActionIcon, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  readonly label: string
  readonly isOff?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

/** Icon button for one row of an editor, such as to move or remove it. */
export const RowTool = ({ label, isOff = false, onClick, children }: Props) => (
  <Tooltip label={label}>
    <ActionIcon
      size={24}
      aria-label={label}
      {...(isOff && { 'data-disabled': true, 'aria-disabled': true })}
      onClick={() => !isOff && onClick()}
    >
      {children}
    </ActionIcon>
  </Tooltip>
)
