import type { ProblemCode } from '../../../contract/common/problem.ts'
import type { ProblemExtra } from '../fail.ts'

export type JobMessage = { readonly id: number; readonly kind: string; readonly input: unknown }
/** A message from a worker: `ready` once, then one reply for each job. */
export type JobReply =
  | { readonly ready: true }
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly problem: { readonly code: ProblemCode; readonly extra: ProblemExtra } }
  | { readonly id: number; readonly error: string }
