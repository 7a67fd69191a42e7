import { useEffect, useRef, useState } from 'react'
import type { StepPosition } from '../graph/tree.ts'
import { makeDropTarget } from './dragging.ts'
import styles from './steps.module.css'
import type { StepsEditing } from './useSteps.ts'

type Props = { readonly position: StepPosition; readonly editing: StepsEditing }

/** A drop target between two cards. */
export function StepGap({ position, editing }: Props) {
  const gap = useRef<HTMLLIElement>(null)
  const [isOver, setOver] = useState(false)
  const { parent, branch, index } = position
  const { isReadOnly, moveTo } = editing
  useEffect(() => {
    if (isReadOnly || gap.current === null) return
    return makeDropTarget(gap.current, setOver, (uid) => moveTo(uid, { parent, branch, index }))
  }, [isReadOnly, moveTo, parent, branch, index])
  return <li ref={gap} className={styles['gap']} data-over={isOver || undefined} aria-hidden="true" />
}
