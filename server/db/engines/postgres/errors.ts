import { fail, Problem } from '../../../lib/fail.ts'
import { messageOf } from '../../../lib/text/message-of.ts'
import { excerpt } from '../../statement-kind.ts'

/** System errors of a connection that cannot be made or broke. */
const networkCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'EACCES',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** SQLSTATE: the server stops or starts, or has no connection left. Class 08 is added by its prefix. */
const serverCodes: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '53300'])
/** Errors that `pg` makes itself have no code. */
const driverMessage =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed)/

/** Returns the SQLSTATE or the system's code of an error; empty if it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Returns true if the server could not be reached, or the connection broke. */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error)
  return (
    networkCodes.has(code) ||
    serverCodes.has(code) ||
    code.startsWith('08') ||
    (code === '' && driverMessage.test(messageOf(error)))
  )
}

/** Returns true if the same transaction can succeed when it runs again: a serialization failure or a deadlock. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

/** Details of problems by SQLSTATE. They are for replies, so they name no host. */
const unavailable: Readonly<Record<string, string>> = {
  '53300':
    'The database accepts no more connections. Allow more there, or set DATABASE_CONNECTIONS to a lower number.',
  '57014': 'The database took too long for the statement, so it was cancelled.',
  '55P03': 'Another change took too long, so this one was not made. Try again.',
  '25006': 'The database accepts no changes now: it is a standby, or read-only. Try again later.',
  '40001': 'Too many changes at once, so this one was not made. Try again.',
  '40P01': 'Too many changes at once, so this one was not made. Try again.',
}

const poolBusy = 'All connections to the database are in use. Try again, or raise DATABASE_CONNECTIONS.'

/** Returns the error of a statement as a problem, or with the statement if it is an error of the program. */
export function translate(error: unknown, sql: string): Error {
  if (error instanceof Problem) return error
  const code = codeOf(error)
  // The error of `pg-pool` after the wait for a free one.
  if (messageOf(error) === 'timeout exceeded when trying to connect')
    return fail('store.unavailable', { detail: poolBusy, retryAfter: 1, cause: error })
  if (isUnreachable(error) && unavailable[code] === undefined) {
    const reason = code === '' ? '' : ` (${code})`
    const detail = `The database does not answer${reason}. The service continues when it does.`
    return fail('store.unavailable', { detail, retryAfter: 1, cause: error })
  }
  if (code === '53100') {
    return fail('store.full', {
      detail: 'The disk of the database is full, so nothing was changed.',
      cause: error,
    })
  }
  const detail = unavailable[code]
  if (detail !== undefined) return fail('store.unavailable', { detail, retryAfter: 1, cause: error })
  return Object.assign(new Error(`${messageOf(error)} · ${excerpt(sql)}`, { cause: error }), { code })
}

/** Returns the error of a transaction that the database did not complete in time. */
export const tooSlow = (): Error =>
  fail('store.unavailable', { detail: unavailable['57014'] ?? '', retryAfter: 1 })
