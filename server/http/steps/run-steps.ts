import type { Next, Step, StepRequest, StepResponse } from './request-state.ts'

/** Runs steps one after the other, as Express does. `onError` receives the first error. */
export function runSteps(
  steps: readonly Step[],
  req: StepRequest,
  res: StepResponse,
  onError: (error: unknown) => void,
): void {
  const runFrom = (index: number): void => {
    const step = steps[index]
    if (step === undefined) return
    const next: Next = (error) => {
      if (error === undefined) runFrom(index + 1)
      else onError(error)
    }
    try {
      const pending = step(req, res, next)
      if (pending instanceof Promise) pending.catch(onError)
    } catch (error) {
      onError(error)
    }
  }
  runFrom(0)
}
