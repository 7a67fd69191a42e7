import { useEffect, useRef, useState } from 'react'
import type { StepPosition } from '../graph/tree.ts'
import { makeDropTarget } from './dragging.ts'
import styles from './steps.module.css'
import type { StepsEditing } from './useSteps.ts'

type Props = { readonly place: StepPosition; readonly editing: StepsEditing }

/** A drop target between two cards. */
export function StepGap({ place, editing }: Props) {
  const line = useRef<HTMLLIElement>(null)
  const [isOver, setOver] = useState(false)
  const { parent, branch, index } = place
  const { isReadOnly, moveTo } = editing
  useEffect(() => {
    if (isReadOnly || line.current === null) return
    return makeDropTarget(line.current, setOver, (uid) => moveTo(uid, { parent, branch, index }))
  }, [isReadOnly, moveTo, parent, branch, index])
  return <li ref={line} className={styles['gap']} data-over={isOver || undefined} aria-hidden="true" />
}
