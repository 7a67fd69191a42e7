import type { Guard } from '../guard.ts'
import { isLan } from '../listener.ts'
import type { Step } from './request-state.ts'

/** Returns the step that checks the Host and Origin headers. */
export function createCheckOrigin(guard: Guard): Step {
  return (req, _res, next) => next(guard.refuse(req.headers, isLan(req)) ?? undefined)
}
