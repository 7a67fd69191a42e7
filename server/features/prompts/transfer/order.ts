import type { Plan } from '../../../resources/transfer/kind.ts'
import { includesOf } from '../state/includes.store.ts'
import type { ImportedChange } from './import.kind.ts'

/** Returns plans with each prompt after those that it includes, because these must be served first. */
export function includedFirst<P extends Plan<unknown, ImportedChange, unknown>>(plans: readonly P[]): P[] {
  const byPlace = new Map(
    plans.flatMap((plan) => (plan.change === null ? [] : [[placeOf(plan.change.env, plan.place.key), plan]])),
  )
  const ordered = new Set<P>()
  const visited = new Set<P>()
  const visit = (plan: P): void => {
    if (visited.has(plan)) return
    visited.add(plan)
    for (const included of plan.change === null ? [] : includesOf(plan.change.change.body)) {
      const other = byPlace.get(placeOf(plan.change?.env ?? '', included.key))
      if (other !== undefined) visit(other)
    }
    ordered.add(plan)
  }
  for (const plan of plans) visit(plan)
  return [...ordered]
}

const placeOf = (env: string, key: string): string => `${env} ${key}`
