import type { z } from 'zod'
import { maxFieldErrors, type ProblemBody, problems } from '../../contract/common/problem.ts'
import { fail, Problem } from '../lib/fail.ts'
import { isNoSpaceCode } from '../lib/files/no-space.ts'
import { flatIssues } from '../lib/flat-issues.ts'

const refusedByDisk = new Set(['EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EBUSY'])

/** Converts the error of a file call; null for other errors. The reply has no paths, only the log does. */
function diskProblem(error: unknown): Problem | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (isNoSpaceCode(code)) {
    const detail = `The disk of the data folder is full (${code}). Free some space, then try again.`
    return fail('store.full', { detail, cause: error })
  }
  if (!refusedByDisk.has(code)) return null
  const detail = `A file of the data folder could not be read or written (${code}). Check the disk and the folder's permissions, then try again. The log names the file.`
  return fail('store.unavailable', { detail, cause: error })
}

/** Converts the error of an engine without memory: SQLite refused a statement, or the WASM module trapped. */
function memoryProblem(error: unknown): Problem | null {
  const isRefused = error instanceof Error && 'sqlite' in error && error.sqlite === 'out of memory'
  if (!isRefused && !(error instanceof Error && error.name === 'RuntimeError')) return null
  const detail =
    'The database engine is out of memory, and the change was not stored. Try again. If the error persists, give the service more memory or lower MAX_STORE_MB.'
  return fail('store.unavailable', { detail, cause: error })
}

/**
 * Converts any thrown value to a problem. Unknown errors become `internal`, and their message is only in the
 * log.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const known = diskProblem(error) ?? memoryProblem(error)
  if (known !== null) return known
  return fail('internal', {
    detail:
      'The request failed because of an internal error. The log contains the cause under this request ID.',
    cause: error,
  })
}

/** Returns the body of an error reply (RFC 9457). `instance` is the path of the request. */
export function problemBody(problem: Problem, instance: string, requestId: string): ProblemBody {
  const { errors, requiredRole, retryAfter, challenge, call } = problem.extra
  return {
    type: `urn:problem:${problem.code}`,
    title: problems[problem.code].title,
    status: problem.status,
    detail: problem.message,
    instance,
    code: problem.code,
    request_id: requestId,
    error: problem.message,
    ...(errors && { errors: errors.slice(0, maxFieldErrors) }),
    ...(requiredRole && { required_role: requiredRole }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    ...(challenge && {
      challenge: challenge.value,
      challenge_expires_at: challenge.expiresAt.toISOString(),
    }),
    ...(call && {
      rendered: call.rendered,
      output: call.output,
      ...(call.runId !== null && { run_id: call.runId }),
      ...(call.errorType !== null && { error_type: call.errorType }),
    }),
  }
}

/** Returns the headers that belong to a problem. */
export function problemHeaders(problem: Problem): Record<string, string> {
  const headers: Record<string, string> = {}
  if (problem.status === 401) headers['www-authenticate'] = 'Bearer'
  if (problem.status === 426) {
    headers['upgrade'] = 'websocket'
    headers['connection'] = 'Upgrade'
  }
  if (problem.extra.retryAfter !== undefined) headers['retry-after'] = String(problem.extra.retryAfter)
  if (problem.extra.allow) headers['allow'] = problem.extra.allow.join(', ')
  return headers
}

/**
 * Returns a 422 that names the fields. Paths of query parameters start with `query.`, those of the body have
 * no prefix.
 */
export function invalidRequest(error: z.ZodError, prefix: '' | 'query.'): Problem {
  const issues = error.issues.flatMap(flatIssues)
  const errors = issues.slice(0, maxFieldErrors).map((issue) => ({
    path: `${prefix}${issue.path.join('.')}`,
    message: issue.message,
  }))
  const [first] = errors
  const where = first && first.path !== prefix ? `${first.path}: ` : ''
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return fail('request.invalid', { detail: `${where}${first?.message ?? 'not valid'}${more}`, errors })
}
