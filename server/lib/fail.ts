import { type FieldError, type ProblemCode, problems } from '../../contract/common/problem.ts'
import type { Role } from '../../contract/common/roles.ts'

export type ProblemExtra = {
  /** The description of this occurrence, for a person. Default: the title of the code. */
  readonly detail?: string
  readonly errors?: readonly FieldError[]
  readonly requiredRole?: Role
  /** Seconds after which a retry makes sense. */
  readonly retryAfter?: number
  readonly allow?: readonly string[]
  /** A sign-in that a code completes. */
  readonly challenge?: { readonly value: string; readonly expiresAt: Date }
  /** The failed model call: the text sent, the output received, and the run that logs it. */
  readonly call?: {
    readonly rendered: string
    readonly output: string
    /** Null: the run could not be stored yet. */
    readonly runId: number | null
    /** Null: the model replied without an error. */
    readonly errorType: string | null
  }
  /** True if the request fails because the service stops. */
  readonly isStopping?: boolean
  /** True if it is unknown whether the change was stored. */
  readonly isUncertain?: boolean
  readonly cause?: unknown
}

/** An error with a code of the contract. It is sent to the caller unchanged as problem+json. */
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

/** Returns an error with a code of the contract, to be thrown: `throw fail('user.last_admin')`. */
export function fail(code: ProblemCode, extra: ProblemExtra = {}): Problem {
  return new Problem(code, extra)
}

/** Returns the error of work that uses the store after it was closed. */
export const storeClosed = (): Problem =>
  fail('store.unavailable', { detail: 'The store is closed.', isStopping: true })

/** Returns the error of work that a stopping service does not begin, or ends. */
export const serviceStopping = (): Problem =>
  fail('store.unavailable', { detail: 'The service is stopping.', isStopping: true })

/** Returns true for an error whose only cause is that the service stops. */
export const isStopping = (error: unknown): boolean =>
  error instanceof Problem && error.extra.isStopping === true

/** Returns true for an error after which the change may be stored. */
export const isUncertain = (error: unknown): boolean =>
  error instanceof Problem && error.extra.isUncertain === true

/** Returns a 422 about one field. */
export function invalid(path: string, message: string): Problem {
  return fail('request.invalid', {
    detail: path === '' ? message : `${path}: ${message}`,
    errors: [{ path, message }],
  })
}
