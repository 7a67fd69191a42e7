import { allSteps, type Branch, branchesOf, copyStep, type EditStep } from './steps.ts'

/** A list of steps: the workflow's own, or a branch of one step. */
export type Place = { readonly parent: string | null; readonly branch: Branch; readonly index: number }

type Steps = readonly EditStep[]

/** Changes one list; every other stays the very same. */
function inList(steps: Steps, { parent, branch }: Omit<Place, 'index'>, work: (list: Steps) => Steps): Steps {
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

export const insertAt = (steps: Steps, place: Place, step: EditStep): Steps =>
  inList(steps, place, (list) => list.toSpliced(place.index, 0, step))

export function placeOf(steps: Steps, uid: string, parent: string | null = null): Place | null {
  const at = (list: Steps, branch: Branch, holder: string | null): Place | null => {
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
  const place = placeOf(steps, uid)
  return place === null ? steps : inList(steps, place, (list) => list.toSpliced(place.index, 1))
}

export function changeStep(steps: Steps, uid: string, patch: Partial<EditStep>): Steps {
  const place = placeOf(steps, uid)
  if (place === null) return steps
  return inList(steps, place, (list) => list.map((step) => (step.uid === uid ? { ...step, ...patch } : step)))
}

export function duplicateStep(steps: Steps, uid: string): { steps: Steps; copy: EditStep } | null {
  const place = placeOf(steps, uid)
  const step = findStep(steps, uid)
  if (place === null || step === undefined) return null
  const copy = copyStep(step, steps)
  return { steps: insertAt(steps, { ...place, index: place.index + 1 }, copy), copy }
}

/** To another place; never into itself. `place` counts as things stand before the step is taken out. */
export function moveStep(steps: Steps, uid: string, place: Place): Steps {
  const from = placeOf(steps, uid)
  const step = findStep(steps, uid)
  if (from === null || step === undefined) return steps
  if (place.parent !== null && allSteps([step]).some((inner) => inner.uid === place.parent)) return steps
  const isSameList = from.parent === place.parent && from.branch === place.branch
  const index = isSameList && place.index > from.index ? place.index - 1 : place.index
  return isSameList && index === from.index
    ? steps
    : insertAt(removeStep(steps, uid), { ...place, index }, step)
}

export type Direction = 'up' | 'down' | 'in' | 'out'

function listAt(steps: Steps, { parent, branch }: Omit<Place, 'index'>): Steps {
  return parent === null ? steps : (findStep(steps, parent)?.[branch] ?? [])
}

/** Where a step goes with one key; null when there is nowhere. Up and down go through the branches as they are read. */
export function nextPlace(steps: Steps, uid: string, direction: Direction): Place | null {
  const place = placeOf(steps, uid)
  if (place === null) return null
  const list = listAt(steps, place)
  const { parent, branch, index } = place
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
  const outer = placeOf(steps, parent)
  const holder = findStep(steps, parent)
  if (outer === null || holder === undefined) return null
  const branches = branchesOf(holder)
  const beside = direction === 'out' ? undefined : branches[branches.indexOf(branch) + (isUp ? -1 : 1)]
  if (beside !== undefined) {
    return { parent, branch: beside, index: isUp ? (holder[beside] ?? []).length : 0 }
  }
  return { ...outer, index: isUp ? outer.index : outer.index + 1 }
}

/** Names whose output a step may use: of those before it, at its own level and around it, with what they hold. */
export function stepsBefore(steps: Steps, uid: string): string[] {
  const names: string[] = []
  let place = placeOf(steps, uid)
  while (place !== null) {
    const holder = place.parent === null ? undefined : findStep(steps, place.parent)
    // Those of a parallel step run at once: none is before another.
    if (holder?.type !== 'parallel') {
      names.push(...allSteps(listAt(steps, place).slice(0, place.index)).map(({ name }) => name))
    }
    place = place.parent === null ? null : placeOf(steps, place.parent)
  }
  return [...new Set(names)]
}
