import { useCallback, useRef, useState } from 'react'
import type { StepType } from '../../../../contract/workflow-step.ts'
import { t } from '../../../lib/i18n.ts'
import {
  changeStep,
  type Direction,
  duplicateStep,
  findStep,
  insertAt,
  moveStep,
  nextPosition,
  positionOf,
  removeStep,
  type StepPosition,
  stepsBefore,
} from '../graph/tree.ts'
import { type EditStep, newStep } from './steps.ts'

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
  readonly wasFocused: () => void
  /** The last change as text, for screen readers. */
  readonly announcement: string
  readonly namesFor: (uid: string) => { readonly known: readonly string[]; readonly steps: readonly string[] }
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
  const latest = useRef({ steps, setSteps })
  latest.current = { steps, setSteps }

  const nameOf = (uid: string): string =>
    findStep(latest.current.steps, uid)?.name || t('workflows:step.unnamed')
  const open = (uid: string): void => setOpened((before) => new Set([...before, uid]))
  const moveTo = useCallback((uid: string, position: StepPosition): void => {
    const next = moveStep(latest.current.steps, uid, position)
    if (next === latest.current.steps) return
    latest.current.setSteps(() => next)
    setFocused(uid)
    const to = positionOf(next, uid)
    const holder = to?.parent === null || to === null ? undefined : findStep(next, to.parent)
    const name = findStep(next, uid)?.name ?? ''
    const number = (to?.index ?? 0) + 1
    setAnnouncement(
      holder === undefined || to === null
        ? t('workflows:move.moved', { name, number })
        : t('workflows:move.moved_into', {
            name,
            number,
            holder: holder.name,
            branch: t(`workflows:branch.${to.branch}`),
          }),
    )
  }, [])

  return {
    isReadOnly,
    isOpen: (uid) => opened.has(uid),
    toggle: (uid) =>
      setOpened((before) => {
        const next = new Set(before)
        if (!next.delete(uid)) next.add(uid)
        return next
      }),
    openAll: () => setOpened(new Set(uidsOf(steps))),
    closeAll: () => setOpened(new Set()),
    hasOpen: uidsOf(steps).some((uid) => opened.has(uid)),
    show: (uid) => {
      open(uid)
      setFocused(uid)
    },
    change: (uid, patch) => setSteps((before) => changeStep(before, uid, patch)),
    add: (position, type) => {
      const step = newStep(type, steps)
      setSteps((before) => insertAt(before, position, step))
      open(step.uid)
      setFocused(step.uid)
      setAnnouncement(t('workflows:step.added', { name: step.name }))
    },
    duplicate: (uid) => {
      const made = duplicateStep(steps, uid)
      if (made === null) return
      setSteps(() => made.steps)
      setFocused(made.copy.uid)
      setAnnouncement(t('workflows:step.added', { name: made.copy.name }))
    },
    remove: (uid) => {
      setAnnouncement(t('workflows:step.removed', { name: nameOf(uid) }))
      setSteps((before) => removeStep(before, uid))
    },
    canMove: (uid, direction) => nextPosition(steps, uid, direction) !== null,
    move: (uid, direction) => {
      const position = nextPosition(latest.current.steps, uid, direction)
      if (position === null) setAnnouncement(t('workflows:move.nowhere', { name: nameOf(uid) }))
      else moveTo(uid, position)
    },
    moveTo,
    focused,
    wasFocused: () => setFocused(null),
    announcement,
    namesFor: (uid) => {
      const outputs = stepsBefore(steps, uid).map((name) => `steps.${name}.output`)
      return { known: ['input', ...outputs, ...variables], steps: ['input', ...outputs] }
    },
  }
}

const uidsOf = (steps: readonly EditStep[]): string[] =>
  steps.flatMap((step) => [
    step.uid,
    ...uidsOf([...(step.then ?? []), ...(step.else ?? []), ...(step.steps ?? [])]),
  ])
