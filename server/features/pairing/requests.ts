import type { DeviceKind } from '../../../contract/accounts/devices.ts'
import type { PairState } from '../../../contract/accounts/pairing.ts'
import type { Role } from '../../../contract/common/roles.ts'
import { fail } from '../../lib/fail.ts'
import { matchesSecret } from './codes.ts'
import { createWaiting } from './waiting.ts'
import type { Window } from './windows.ts'

/** An existing user who proved to know the password. */
export type VerifiedAccount = {
  readonly id: string
  readonly username: string
  readonly role: Role
  readonly password_hash: string
}

/** The account of a request. `NewUser`: a checked user that is stored on approval. */
export type Applicant<NewUser> =
  | { readonly kind: 'new'; readonly username: string; readonly user: NewUser }
  | { readonly kind: 'existing'; readonly username: string; readonly account: VerifiedAccount }
  | { readonly kind: 'none'; readonly username: null }

/** The tokens of an approved request. */
export type Admission = Pick<PairState, 'token' | 'device_token' | 'user'>

export type PairingRequestState<NewUser> = {
  readonly id: string
  readonly secretHash: Buffer
  readonly window: Window
  readonly name: string
  readonly kind: DeviceKind
  readonly applicant: Applicant<NewUser>
  readonly address: string
  readonly userAgent: string
  readonly words: readonly string[]
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** `deciding`: an answer is being stored. */
  status: PairState['status'] | 'deciding'
  answeredBy: string | null
  admission: Admission | null
}

/** Time that an ended request stays in the list, in milliseconds. Its tokens are forgotten when it expires. */
const listedMs = 10 * 60_000

/** The pairing requests of this process. */
export function createRequests<NewUser>() {
  type Request = PairingRequestState<NewUser>
  const requests = new Map<string, Request>()
  const waiting = createWaiting()

  return {
    add(request: Request): void {
      requests.set(request.id, request)
    },

    /** Returns all requests that are not forgotten, the newest first. */
    all: (): readonly Request[] => [...requests.values()].reverse(),

    /** Returns the request with this id and secret; undefined for a wrong id and a wrong secret alike. */
    find(id: string, secret: string | undefined): Request | undefined {
      const request = requests.get(id)
      return request !== undefined && matchesSecret(secret, request.secretHash) ? request : undefined
    },

    /** Reserves a pending request for the caller's answer. Throws 404, or 409 if it was answered or expired. */
    take(id: string): Request {
      const request = requests.get(id)
      if (request === undefined) throw fail('not_found', { detail: 'Pairing request not found.' })
      if (request.status !== 'pending') throw fail('pairing.ended', { detail: endOf(request) })
      request.status = 'deciding'
      return request
    },

    /** Ends the reservation without an answer. */
    release(request: Request): void {
      request.status = 'pending'
    },

    answer(
      request: Request,
      status: 'approved' | 'refused',
      answeredBy: string,
      admission: Admission | null,
    ): void {
      Object.assign(request, { status, answeredBy, admission })
      waiting.wake(request.id)
    },

    /** Ends the requests whose time is over, and returns those without an answer. Forgets old ones. */
    expire(nowMs: number): readonly Request[] {
      const late = [...requests.values()].filter(({ expiresAtMs }) => expiresAtMs <= nowMs)
      const unanswered = late.filter(({ status }) => status === 'pending')
      for (const request of late) {
        request.admission = null
        if (request.status === 'pending') request.status = 'expired'
        waiting.wake(request.id)
        if (request.expiresAtMs + listedMs <= nowMs) requests.delete(request.id)
      }
      return unanswered
    },

    /** Resolves when the request changes or the time is over. */
    wait: ({ id }: Request, ms: number): Promise<void> => waiting.wait(id, ms),

    /** Ends all waits, because the service stops. */
    wakeAll: (): void => waiting.wakeAll(),
  }
}

export type Requests<NewUser> = ReturnType<typeof createRequests<NewUser>>

function endOf({
  status,
  answeredBy,
}: {
  readonly status: string
  readonly answeredBy: string | null
}): string {
  if (status === 'deciding') return 'Another admin is answering this request.'
  if (status === 'expired') return 'The request has expired. Open a new pairing window.'
  return `${answeredBy} has ${status} this request.`
}
