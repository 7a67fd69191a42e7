import { allSteps, type Branch, branchesOf, copyStep, type EditStep } from '../steps/steps.ts'

/** A position in a list of steps: the workflow's own (`parent` is null) or a branch of one step. */
export type StepPosition = { readonly parent: string | null; readonly branch: Branch; readonly index: number }

type Steps = readonly EditStep[]

/** Applies `update` to one list; all other lists keep their identity. */
function updateList(
  steps: Steps,
  { parent, branch }: Omit<StepPosition, 'index'>,
  update: (list: Steps) => Steps,
): Steps {
  if (parent === null) return update(steps)
  return steps.map((step) => {
    if (step.uid === parent) return { ...step, [branch]: update(step[branch] ?? []) }
    const inner = branchesOf(step).map(
      (name) => [name, updateList(step[name] ?? [], { parent, branch }, update)] as const,
    )
    return inner.every(([name, list]) => isSame(list, step[name] ?? []))
      ? step
      : { ...step, ...Object.fromEntries(inner) }
  })
}

const isSame = (a: Steps, b: Steps): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index])

export const insertAt = (steps: Steps, position: StepPosition, step: EditStep): Steps =>
  updateList(steps, position, (list) => list.toSpliced(position.index, 0, step))

/** Returns the position of a step; null if there is none with that uid. */
export function positionOf(steps: Steps, uid: string): StepPosition | null {
  const search = (list: Steps, branch: Branch, container: string | null): StepPosition | null => {
    const index = list.findIndex((step) => step.uid === uid)
    if (index !== -1) return { parent: container, branch, index }
    for (const step of list) {
      for (const name of branchesOf(step)) {
        const found = search(step[name] ?? [], name, step.uid)
        if (found !== null) return found
      }
    }
    return null
  }
  return search(steps, 'steps', null)
}

export const findStep = (steps: Steps, uid: string): EditStep | undefined =>
  allSteps(steps).find((step) => step.uid === uid)

export function removeStep(steps: Steps, uid: string): Steps {
  const position = positionOf(steps, uid)
  return position === null ? steps : updateList(steps, position, (list) => list.toSpliced(position.index, 1))
}

export function changeStep(steps: Steps, uid: string, patch: Partial<EditStep>): Steps {
  const position = positionOf(steps, uid)
  if (position === null) return steps
  return updateList(steps, position, (list) =>
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

/**
 * Moves a step to another place, but not into itself. `position` is its target before it is removed from its
 * list.
 */
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
  if (direction === 'in') return endOfPrevious(steps, position)
  if (direction === 'out') return besideParent(steps, position, 1)
  return direction === 'up' ? positionAbove(steps, position) : positionBelow(steps, position)
}

/** Returns the end of the first branch of the previous step in the list. */
function endOfPrevious(steps: Steps, position: StepPosition): StepPosition | null {
  const previous = listAt(steps, position)[position.index - 1]
  if (previous === undefined) return null
  const [branch] = branchesOf(previous)
  return branch === undefined ? null : { parent: previous.uid, branch, index: previous[branch]?.length ?? 0 }
}

/** Returns the position before (0) or after (1) the step that contains the position. */
function besideParent(steps: Steps, { parent }: StepPosition, offset: 0 | 1): StepPosition | null {
  const outer = parent === null ? null : positionOf(steps, parent)
  return outer && { ...outer, index: outer.index + offset }
}

/** Returns the previous place of the list, the end of the previous branch, or the place before the parent. */
function positionAbove(steps: Steps, position: StepPosition): StepPosition | null {
  if (position.index > 0) return { ...position, index: position.index - 1 }
  const branch = siblingBranch(steps, position, -1)
  return branch === undefined
    ? besideParent(steps, position, 0)
    : { ...position, branch, index: listAt(steps, { ...position, branch }).length }
}

/** Returns the next place of the list, the start of the next branch, or the place after the parent. */
function positionBelow(steps: Steps, position: StepPosition): StepPosition | null {
  const { length } = listAt(steps, position)
  if (position.index < length - 1) return { ...position, index: position.index + 2 }
  const branch = siblingBranch(steps, position, 1)
  return branch === undefined ? besideParent(steps, position, 1) : { ...position, branch, index: 0 }
}

/** Returns the previous (-1) or next (1) branch of the same step; undefined if there is none. */
function siblingBranch(steps: Steps, { parent, branch }: StepPosition, offset: -1 | 1): Branch | undefined {
  const container = parent === null ? undefined : findStep(steps, parent)
  const branches = container === undefined ? [] : branchesOf(container)
  return branches[branches.indexOf(branch) + offset]
}

/**
 * Returns the names of steps whose output a step may use: those before it and before its parents, with their
 * children.
 */
export function stepsBefore(steps: Steps, uid: string): string[] {
  const names: string[] = []
  let position = positionOf(steps, uid)
  while (position !== null) {
    const container = position.parent === null ? undefined : findStep(steps, position.parent)
    // Steps of a parallel step run at the same time, so none is before another.
    if (container?.type !== 'parallel') {
      names.push(...allSteps(listAt(steps, position).slice(0, position.index)).map(({ name }) => name))
    }
    position = position.parent === null ? null : positionOf(steps, position.parent)
  }
  return [...new Set(names)]
}
