import { type ReactNode, useDeferredValue } from 'react'

type Props = {
  readonly children: ReactNode
  /** What stands there until then. */
  readonly place?: ReactNode
}

/** Content that is rendered in slices, between which the browser paints and answers keys and pointer. */
export function Later({ children, place = null }: Props) {
  return useDeferredValue(true, false) ? children : place
}
