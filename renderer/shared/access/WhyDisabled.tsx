import { Tooltip } from '@mantine/core'
import { cloneElement, type MouseEvent, type ReactElement } from 'react'
import type { DisabledReason } from '../../lib/session/me.ts'

type Child = ReactElement<{
  onClick?: (event: MouseEvent) => void
  'data-disabled'?: boolean
  'aria-disabled'?: boolean
  c?: string
}>

type Props = {
  /** Null leaves the control enabled. */
  readonly reason: DisabledReason
  readonly children: Child
}

/** Disables a control and shows the reason. The control stays reachable by keyboard and pointer. */
export function WhyDisabled({ reason, children }: Props) {
  if (reason === null) return children
  return (
    <Tooltip label={reason} openDelay={0}>
      {cloneElement(children, {
        'data-disabled': true,
        'aria-disabled': true,
        c: 'var(--mantine-color-disabled-color)',
        onClick: (event) => {
          event.preventDefault()
          event.stopPropagation()
        },
      })}
    </Tooltip>
  )
}
