import { type FieldError, type ProblemCode, problems } from '../../contract/problem.ts'
import type { Role } from '../../contract/roles.ts'

export type ProblemExtra = {
  /** What happened this time, for a person. The title of the code unless given. */
  readonly detail?: string
  readonly errors?: readonly FieldError[]
  readonly requiredRole?: Role
  /** Seconds until a retry makes sense. */
  readonly retryAfter?: number
  readonly allow?: readonly string[]
  /** The model call that failed: what was sent, what had come, and where it is logged. */
  readonly call?: {
    readonly rendered: string
    readonly output: string
    /** Null: its run could not be kept yet. */
    readonly runId: number | null
    /** Null: the model answered. */
    readonly errorType: string | null
  }
  readonly cause?: unknown
}

/** An error that has a place in the contract: it reaches the caller as problem+json, word for word. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly extra: ProblemExtra
  constructor(code: ProblemCode, extra: ProblemExtra) {
    super(extra.detail ?? problems[code].title, { cause: extra.cause })
    this.name = 'Problem'
    this.code = code
    this.status = problems[code].status
    this.extra = extra
  }
}

/** Stops here with an error from the contract's table: `throw fail('user.last_admin')`. */
export function fail(code: ProblemCode, extra: ProblemExtra = {}): Problem {
  return new Problem(code, extra)
}

/** A 422 about one field. */
export function invalid(path: string, message: string): Problem {
  return fail('request.invalid', { detail: `${path}: ${message}`, errors: [{ path, message }] })
}
