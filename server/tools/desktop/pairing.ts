import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { maxWaitSeconds, pairingHeader } from '../../../contract/accounts/pairing.ts'
import { printable } from '../command/io/failure.ts'
import { pollMs, Requested, RequestState, waitMs } from '../command/pairing/replies.ts'
import { exchange } from './exchange.ts'
import { serverFailure } from './server-failure.ts'

type Server = { readonly origin: string; readonly ca: string }

/** The input of a person who pairs this app. Exactly one of `code` and `secret` is given. */
export type PairingChoice = {
  readonly code?: string
  readonly secret?: string
  /** Name of this device, as admins see it. */
  readonly name: string
  readonly account: 'new' | 'existing'
  readonly username: string
  readonly password: string
  readonly second_factor_code?: string
}

const Identity = z.object({ data: z.object({ name: z.string() }) })
const maxNameLength = 63

/** Returns the name of a service. */
export async function identify(server: Server, signal: AbortSignal): Promise<string> {
  const { data } = await exchange(server, { method: 'GET', path: '/api/pair', signal }, Identity)
  return printable(data.name).slice(0, maxNameLength)
}

/** Asks to be added as a desktop app. */
export function requestPairing(
  server: Server,
  choice: PairingChoice,
  signal: AbortSignal,
): Promise<Requested> {
  const body = { ...choice, kind: 'desktop' }
  return exchange(server, { method: 'POST', path: '/api/pair', body, signal }, Requested)
}

/** Waits until an admin answers the request, and returns the token of this device. */
export async function waitForApproval(
  server: Server,
  { request_id: id, request_secret: secret }: Requested,
  signal: AbortSignal,
): Promise<string> {
  const path = `/api/pair/${encodeURIComponent(id)}?wait=${maxWaitSeconds}`
  const request = { method: 'GET', path, headers: { [pairingHeader]: secret }, signal } as const
  for (;;) {
    const askedAt = performance.now()
    const { status, token } = await exchange(server, { ...request, timeoutMs: waitMs }, RequestState)
    if (status === 'approved' && token !== undefined) return token
    if (status !== 'pending') throw notApproved(status)
    await delay(Math.max(0, pollMs - (performance.now() - askedAt)), undefined, { signal })
  }
}

const notApproved = (status: string) =>
  serverFailure(
    'ended',
    status === 'refused'
      ? 'An admin refused this device.'
      : 'The request has ended, because no admin approved it within five minutes.',
    'Ask the admin to add a device again, then connect with the new code.',
  )
