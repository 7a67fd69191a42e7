import { fail } from '../../lib/fail.ts'
import { matchesSecret } from './codes.ts'
import type { Admission, AllRecords, Draft, PairingRequestState } from './pairing.records.ts'

/** Time that an ended request stays in the list, in milliseconds. Its tokens are removed when it expires. */
const listedMs = 10 * 60_000

const requestIn = <NewUser>(
  records: AllRecords<NewUser>,
  id: string,
): PairingRequestState<NewUser> | undefined => {
  const found = records.get(id)
  return found?.record === 'request' ? found : undefined
}

/** Returns all requests, the oldest first. */
export const requestsIn = <NewUser>(records: AllRecords<NewUser>): readonly PairingRequestState<NewUser>[] =>
  [...records.values()].filter((record) => record.record === 'request')

/** Returns the request with this id and secret; undefined for a wrong id and a wrong secret alike. */
export function findRequest<NewUser>(
  records: AllRecords<NewUser>,
  id: string,
  secret: string | undefined,
): PairingRequestState<NewUser> | undefined {
  const request = requestIn(records, id)
  return request !== undefined && matchesSecret(secret, request.secretHash) ? request : undefined
}

/** Returns a pending request. Throws 404, or 409 if it was answered or expired. */
export function requirePending<NewUser>(
  records: AllRecords<NewUser>,
  id: string,
): PairingRequestState<NewUser> {
  const request = requestIn(records, id)
  if (request === undefined) throw fail('not_found', { detail: 'Pairing request not found.' })
  if (request.status !== 'pending') throw fail('pairing.ended', { detail: endOf(request) })
  return request
}

function endOf({ status, answeredBy }: PairingRequestState<unknown>): string {
  if (status === 'expired') return 'The request has expired. Open a new pairing window.'
  return `${answeredBy} has ${status} this request.`
}

/** Answers a request. Returns it as it is then. */
export function answerRequest<NewUser>(
  records: Draft<NewUser>,
  request: PairingRequestState<NewUser>,
  answer: {
    readonly status: 'approved' | 'refused'
    readonly answeredBy: string
    readonly admission: Admission | null
  },
): PairingRequestState<NewUser> {
  const answered = { ...request, ...answer }
  records.set(answered.id, answered)
  return answered
}

type Ending = 'end' | 'remove' | null

/** Returns what remains to do with a request whose time is over. */
function endingOf(request: PairingRequestState<unknown>, nowMs: number): Ending {
  const { status, admission, expiresAtMs } = request
  if (expiresAtMs + listedMs <= nowMs) return 'remove'
  if (expiresAtMs > nowMs) return null
  return status === 'pending' || admission !== null ? 'end' : null
}

/** Returns true if `expireRequests` would change a request. */
export const hasExpiredRequest = (records: AllRecords<unknown>, nowMs: number): boolean =>
  requestsIn(records).some((request) => endingOf(request, nowMs) !== null)

/** Ends the requests whose time is over, and returns those without an answer. Deletes their tokens, and old ones. */
export function expireRequests<NewUser>(
  records: Draft<NewUser>,
  nowMs: number,
): readonly PairingRequestState<NewUser>[] {
  const unanswered: PairingRequestState<NewUser>[] = []
  for (const request of requestsIn(records)) {
    const ending = endingOf(request, nowMs)
    if (ending === null) continue
    const isUnanswered = request.status === 'pending'
    if (isUnanswered) unanswered.push(request)
    if (ending === 'remove') records.delete(request.id)
    else
      records.set(request.id, {
        ...request,
        admission: null,
        status: isUnanswered ? 'expired' : request.status,
      })
  }
  return unanswered
}
