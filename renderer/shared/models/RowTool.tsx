import { ActionIcon, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  readonly label: string
  readonly isDisabled?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

/** Icon button for one row of an editor, such as to move or remove it. */
export const RowTool = ({ label, isDisabled = false, onClick, children }: Props) => (
  <Tooltip label={label}>
    <ActionIcon
      size={24}
      aria-label={label}
      {...(isDisabled && { 'data-disabled': true, 'aria-disabled': true })}
      onClick={() => !isDisabled && onClick()}
    >
      {children}
    </ActionIcon>
  </Tooltip>
)
