import { useCallback, useRef, useState } from 'react'
import type { StepType } from '../../../../contract/workflows/workflow-step.ts'
import { changeStep, type Direction, nextPosition, type StepPosition, stepsBefore } from '../graph/tree.ts'
import {
  addCopy,
  addStep,
  deleteStep,
  moveBy,
  moveTo,
  type StepsState,
  showStep,
  toggleStep,
} from './stepOperations.ts'
import { allSteps, type EditStep } from './steps.ts'

export type StepsEditing = {
  readonly isReadOnly: boolean
  readonly isOpen: (uid: string) => boolean
  readonly toggle: (uid: string) => void
  readonly openAll: () => void
  readonly closeAll: () => void
  readonly hasOpen: boolean
  /** Opens a step and scrolls to it. */
  readonly show: (uid: string) => void
  readonly change: (uid: string, patch: Partial<EditStep>) => void
  readonly add: (position: StepPosition, type: StepType) => void
  readonly duplicate: (uid: string) => void
  readonly remove: (uid: string) => void
  readonly canMove: (uid: string, direction: Direction) => boolean
  readonly move: (uid: string, direction: Direction) => void
  readonly moveTo: (uid: string, position: StepPosition) => void
  /** The step whose handle receives the focus next. */
  readonly focused: string | null
  readonly clearFocus: () => void
  /** The last change as text, for screen readers. */
  readonly announcement: string
  readonly namesFor: (uid: string) => {
    readonly suggestions: readonly string[]
    readonly steps: readonly string[]
  }
}

type Options = {
  readonly steps: readonly EditStep[]
  readonly setSteps: (change: (steps: readonly EditStep[]) => readonly EditStep[]) => void
  readonly isReadOnly: boolean
  /** The variables of the workflow that its steps use. */
  readonly variables: readonly string[]
}

/** Returns the state and the operations of editing the tree of steps. */
export function useSteps({ steps, setSteps, isReadOnly, variables }: Options): StepsEditing {
  const [opened, setOpened] = useState<ReadonlySet<string>>(
    () => new Set(steps.length === 1 ? steps.map(({ uid }) => uid) : []),
  )
  const [focused, setFocused] = useState<string | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const state: StepsState = { steps, setSteps, setOpened, setFocused, announce: setAnnouncement }
  const latest = useRef(state)
  latest.current = state
  const uids = allSteps(steps).map(({ uid }) => uid)

  return {
    isReadOnly,
    isOpen: (uid) => opened.has(uid),
    toggle: (uid) => toggleStep(state, uid),
    openAll: () => setOpened(new Set(uids)),
    closeAll: () => setOpened(new Set()),
    hasOpen: uids.some((uid) => opened.has(uid)),
    show: (uid) => showStep(state, uid),
    change: (uid, patch) => setSteps((before) => changeStep(before, uid, patch)),
    add: (position, type) => addStep(state, position, type),
    duplicate: (uid) => addCopy(state, uid),
    remove: (uid) => deleteStep(latest.current, uid),
    canMove: (uid, direction) => nextPosition(steps, uid, direction) !== null,
    move: (uid, direction) => moveBy(latest.current, uid, direction),
    // Stable, because the drop targets register again when it changes.
    moveTo: useCallback((uid, position) => moveTo(latest.current, uid, position), []),
    focused,
    clearFocus: () => setFocused(null),
    announcement,
    namesFor: (uid) => {
      const outputs = stepsBefore(steps, uid).map((name) => `steps.${name}.output`)
      return { suggestions: ['input', ...outputs, ...variables], steps: ['input', ...outputs] }
    },
  }
}
