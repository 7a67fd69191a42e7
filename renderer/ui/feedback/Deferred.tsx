import { type ReactNode, useDeferredValue } from 'react'

type Props = {
  readonly children: ReactNode
  /** Shown until the content is rendered. */
  readonly placeholder?: ReactNode
}

/** Renders its content in slices, between which the browser can paint and respond. */
export function Deferred({ children, placeholder = null }: Props) {
  return useDeferredValue(true, false) ? children : placeholder
}
