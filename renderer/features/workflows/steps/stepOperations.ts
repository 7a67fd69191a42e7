import type { Dispatch, SetStateAction } from 'react'
import type { StepType } from '../../../../contract/workflows/workflow-step.ts'
import { t } from '../../../lib/i18n.ts'
import {
  type Direction,
  duplicateStep,
  findStep,
  insertAt,
  moveStep,
  nextPosition,
  positionOf,
  removeStep,
  type StepPosition,
} from '../graph/tree.ts'
import { type EditStep, newStep } from './steps.ts'

type Steps = readonly EditStep[]

/** The state of the step editor, as rendered last, and its setters. */
export type StepsState = {
  readonly steps: Steps
  readonly setSteps: (change: (steps: Steps) => Steps) => void
  readonly setOpened: Dispatch<SetStateAction<ReadonlySet<string>>>
  readonly setFocused: (uid: string | null) => void
  readonly announce: (text: string) => void
}

const nameOf = ({ steps }: StepsState, uid: string): string =>
  findStep(steps, uid)?.name || t('workflows:step.unnamed')

const open = ({ setOpened }: StepsState, uid: string): void =>
  setOpened((before) => new Set([...before, uid]))

/** Opens a closed step and closes an open one. */
export const toggleStep = ({ setOpened }: StepsState, uid: string): void =>
  setOpened((before) => {
    const next = new Set(before)
    if (!next.delete(uid)) next.add(uid)
    return next
  })

/** Opens a step and moves the focus to it. */
export function showStep(state: StepsState, uid: string): void {
  open(state, uid)
  state.setFocused(uid)
}

/** Inserts a new step, opens it and announces it. */
export function addStep(state: StepsState, position: StepPosition, type: StepType): void {
  const step = newStep(type, state.steps)
  state.setSteps((before) => insertAt(before, position, step))
  showStep(state, step.uid)
  state.announce(t('workflows:step.added', { name: step.name }))
}

/** Inserts a copy after the step and announces it. */
export function addCopy(state: StepsState, uid: string): void {
  const duplicated = duplicateStep(state.steps, uid)
  if (duplicated === null) return
  state.setSteps(() => duplicated.steps)
  state.setFocused(duplicated.copy.uid)
  state.announce(t('workflows:step.added', { name: duplicated.copy.name }))
}

/** Removes a step and announces it. */
export function deleteStep(state: StepsState, uid: string): void {
  state.announce(t('workflows:step.removed', { name: nameOf(state, uid) }))
  state.setSteps((before) => removeStep(before, uid))
}

/** Moves a step by one place, or announces that there is none in that direction. */
export function moveBy(state: StepsState, uid: string, direction: Direction): void {
  const position = nextPosition(state.steps, uid, direction)
  if (position === null) state.announce(t('workflows:move.nowhere', { name: nameOf(state, uid) }))
  else moveTo(state, uid, position)
}

/** Moves a step to a position and announces its new place; does nothing if it is there already. */
export function moveTo(state: StepsState, uid: string, position: StepPosition): void {
  const next = moveStep(state.steps, uid, position)
  if (next === state.steps) return
  state.setSteps(() => next)
  state.setFocused(uid)
  state.announce(movedText(next, uid))
}

/** Returns the announcement of a moved step: its number, and the branch that contains it, if any. */
function movedText(steps: Steps, uid: string): string {
  const to = positionOf(steps, uid)
  const parent = to?.parent === null || to === null ? undefined : findStep(steps, to.parent)
  const name = findStep(steps, uid)?.name ?? ''
  const number = (to?.index ?? 0) + 1
  if (parent === undefined || to === null) return t('workflows:move.moved', { name, number })
  const branch = t(`workflows:branch.${to.branch}`)
  return t('workflows:move.moved_into', { name, number, holder: parent.name, branch })
}
