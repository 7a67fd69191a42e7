import { setTimeout as delay } from 'node:timers/promises'
import { maxWaitSeconds, pairingHeader } from '../../../../contract/accounts/pairing.ts'
import { jsonOf, reasonIn } from '../connection/reply.ts'
import { readText, send } from '../connection/send.ts'
import { Failure } from '../io/failure.ts'
import { pollMs, Requested, RequestState, waitMs } from './replies.ts'

/** A verified server: every request trusts only this CA. */
export type Server = { readonly origin: string; readonly ca: string }

export type Credential = { readonly code: string } | { readonly secret: string }

const maxReplyBytes = 64 * 1024

/** Asks to be added as a device. Throws a `Failure` if the code is wrong or used, or the window closed. */
export async function requestPairing(
  server: Server,
  credential: Credential,
  device: { readonly name: string; readonly kind: 'cli' | 'sdk' },
): Promise<Requested> {
  const body = JSON.stringify({ ...credential, ...device })
  const reply = await send({ ...server, method: 'POST', path: '/api/pair', body })
  const text = await readText(reply, maxReplyBytes)
  const requested = Requested.safeParse(jsonOf(text))
  if (reply.statusCode === 202 && requested.success) return requested.data
  throw refused(server, reply.statusCode ?? 0, text)
}

/** Waits until an admin answers the request, and returns the device's token. Throws a `Failure` otherwise. */
export async function waitForApproval(server: Server, requested: Requested): Promise<string> {
  const path = `/api/pair/${encodeURIComponent(requested.request_id)}?wait=${maxWaitSeconds}`
  const headers = { [pairingHeader]: requested.request_secret }
  for (;;) {
    const askedAt = performance.now()
    const reply = await send({ ...server, method: 'GET', path, headers, timeoutMs: waitMs })
    const text = await readText(reply, maxReplyBytes)
    const state = RequestState.safeParse(jsonOf(text))
    if (reply.statusCode !== 200 || !state.success) throw refused(server, reply.statusCode ?? 0, text)
    const { status, token } = state.data
    if (status === 'approved' && token !== undefined) return token
    if (status !== 'pending') throw notApproved(status)
    await delay(Math.max(0, pollMs - (performance.now() - askedAt)))
  }
}

const notApproved = (status: string): Failure =>
  new Failure(
    'This device was not paired',
    status === 'refused' ? 'An admin refused the request' : 'No admin approved the request in time',
    'Ask the admin to open pairing again, and run this command with the new code. Nothing was stored',
  )

function refused({ origin }: Server, status: number, text: string): Failure {
  return new Failure(
    `${origin} did not accept the pairing`,
    reasonIn(status, text),
    'Ask the admin to open pairing again, and use the new code within five minutes. Nothing was stored',
  )
}
