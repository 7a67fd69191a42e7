import { Tooltip } from '@mantine/core'
import {
  cloneElement,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useState,
} from 'react'

type Props = {
  readonly label: () => ReactNode
  readonly children: ReactElement<{
    onPointerEnter?: (event: PointerEvent<HTMLElement>) => void
    onPointerLeave?: () => void
  }>
}

/** As long as every other tooltip waits, in milliseconds. */
const delayMs = 350

/** A hint on what stands in every row of a list: nothing of a tooltip exists while the pointer is elsewhere. */
export function Tip({ label, children }: Props) {
  const [target, setTarget] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (target === null) return
    const timer = setTimeout(() => setOpen(true), delayMs)
    return () => {
      clearTimeout(timer)
      setOpen(false)
    }
  }, [target])
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: ({ currentTarget }) => setTarget(currentTarget),
        onPointerLeave: () => setTarget(null),
      })}
      {isOpen && <Tooltip opened target={target} label={label()} />}
    </>
  )
}
