import { allSteps, type Branch, branchesOf, copyStep, type EditStep } from '../steps/steps.ts'

/** A position in a list of steps: the workflow's own (`parent` is null) or a branch of one step. */
export type StepPosition = { readonly parent: string | null; readonly branch: Branch; readonly index: number }

type Steps = readonly EditStep[]

/** Applies `work` to one list; all other lists keep their identity. */
function inList(
  steps: Steps,
  { parent, branch }: Omit<StepPosition, 'index'>,
  work: (list: Steps) => Steps,
): Steps {
  if (parent === null) return work(steps)
  return steps.map((step) => {
    if (step.uid === parent) return { ...step, [branch]: work(step[branch] ?? []) }
    const inner = branchesOf(step).map(
      (name) => [name, inList(step[name] ?? [], { parent, branch }, work)] as const,
    )
    return inner.every(([name, list]) => isSame(list, step[name] ?? []))
      ? step
      : { ...step, ...Object.fromEntries(inner) }
  })
}

const isSame = (a: Steps, b: Steps): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index])

export const insertAt = (steps: Steps, position: StepPosition, step: EditStep): Steps =>
  inList(steps, position, (list) => list.toSpliced(position.index, 0, step))

/** Returns the position of a step; null if there is none with that uid. */
export function positionOf(steps: Steps, uid: string, parent: string | null = null): StepPosition | null {
  const at = (list: Steps, branch: Branch, holder: string | null): StepPosition | null => {
    const index = list.findIndex((step) => step.uid === uid)
    if (index !== -1) return { parent: holder, branch, index }
    for (const step of list) {
      for (const name of branchesOf(step)) {
        const found = at(step[name] ?? [], name, step.uid)
        if (found !== null) return found
      }
    }
    return null
  }
  return at(steps, 'steps', parent)
}

export const findStep = (steps: Steps, uid: string): EditStep | undefined =>
  allSteps(steps).find((step) => step.uid === uid)

export function removeStep(steps: Steps, uid: string): Steps {
  const position = positionOf(steps, uid)
  return position === null ? steps : inList(steps, position, (list) => list.toSpliced(position.index, 1))
}

export function changeStep(steps: Steps, uid: string, patch: Partial<EditStep>): Steps {
  const position = positionOf(steps, uid)
  if (position === null) return steps
  return inList(steps, position, (list) =>
    list.map((step) => (step.uid === uid ? { ...step, ...patch } : step)),
  )
}

/** Inserts a copy after the step; null if there is no step with that uid. */
export function duplicateStep(steps: Steps, uid: string): { steps: Steps; copy: EditStep } | null {
  const position = positionOf(steps, uid)
  const step = findStep(steps, uid)
  if (position === null || step === undefined) return null
  const copy = copyStep(step, steps)
  return { steps: insertAt(steps, { ...position, index: position.index + 1 }, copy), copy }
}

/** Moves a step to another place, but not into itself. `place` is a position before the step is removed. */
export function moveStep(steps: Steps, uid: string, position: StepPosition): Steps {
  const from = positionOf(steps, uid)
  const step = findStep(steps, uid)
  if (from === null || step === undefined) return steps
  if (position.parent !== null && allSteps([step]).some((inner) => inner.uid === position.parent))
    return steps
  const isSameList = from.parent === position.parent && from.branch === position.branch
  const index = isSameList && position.index > from.index ? position.index - 1 : position.index
  return isSameList && index === from.index
    ? steps
    : insertAt(removeStep(steps, uid), { ...position, index }, step)
}

export type Direction = 'up' | 'down' | 'in' | 'out'

function listAt(steps: Steps, { parent, branch }: Omit<StepPosition, 'index'>): Steps {
  return parent === null ? steps : (findStep(steps, parent)?.[branch] ?? [])
}

/**
 * Returns the target of a move by keyboard, null if there is none. Up and down move through branches in
 * reading order.
 */
export function nextPosition(steps: Steps, uid: string, direction: Direction): StepPosition | null {
  const position = positionOf(steps, uid)
  if (position === null) return null
  const list = listAt(steps, position)
  const { parent, branch, index } = position
  if (direction === 'in') {
    const before = list[index - 1]
    const [into] = before === undefined ? [] : branchesOf(before)
    return before === undefined || into === undefined
      ? null
      : { parent: before.uid, branch: into, index: (before[into] ?? []).length }
  }
  const isUp = direction === 'up'
  const isWithin = direction !== 'out' && (isUp ? index > 0 : index < list.length - 1)
  if (isWithin) return { parent, branch, index: isUp ? index - 1 : index + 2 }
  if (parent === null) return null
  const outer = positionOf(steps, parent)
  const holder = findStep(steps, parent)
  if (outer === null || holder === undefined) return null
  const branches = branchesOf(holder)
  const sibling = direction === 'out' ? undefined : branches[branches.indexOf(branch) + (isUp ? -1 : 1)]
  if (sibling !== undefined) {
    return { parent, branch: sibling, index: isUp ? (holder[sibling] ?? []).length : 0 }
  }
  return { ...outer, index: isUp ? outer.index : outer.index + 1 }
}

/**
 * Returns the names of steps whose output a step may use: those before it and before its parents, with their
 * children.
 */
export function stepsBefore(steps: Steps, uid: string): string[] {
  const names: string[] = []
  let position = positionOf(steps, uid)
  while (position !== null) {
    const holder = position.parent === null ? undefined : findStep(steps, position.parent)
    // Steps of a parallel step run at the same time, so none is before another.
    if (holder?.type !== 'parallel') {
      names.push(...allSteps(listAt(steps, position).slice(0, position.index)).map(({ name }) => name))
    }
    position = position.parent === null ? null : positionOf(steps, position.parent)
  }
  return [...new Set(names)]
}
