import { expect } from 'vitest'
import type { LanServer } from '../../support/lan/listener.ts'
import type { Answer } from '../../support/service.ts'

export const password = 'a long phrase of the newcomer'

export type Opened = { readonly code: string; readonly secret: string; readonly id: string }

/** Opens a pairing window as an admin; by default for the role editor with the service token. */
export async function openWindow(
  server: LanServer,
  body: object = { role: 'editor' },
  token?: string,
): Promise<Opened> {
  const reply = await server.call('POST /api/pairing', { body, ...(token !== undefined && { token }) })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data
}

/** Asks to be paired as a browser with a new account. */
export const askWith = (
  server: LanServer,
  credential: { readonly code: string } | { readonly secret: string },
  more: object = {},
  from?: string,
): Promise<Answer> =>
  server.lan('POST /api/pair', {
    body: { ...credential, name: 'Phone', kind: 'browser', username: 'newcomer', password, ...more },
    ...(from !== undefined && { from }),
  })

export type PairingRequest = { readonly request_id: string; readonly request_secret: string }

/** Opens a window and asks with its code. */
export async function asked(
  server: LanServer,
  more: object = {},
  rights?: object,
  token?: string,
): Promise<PairingRequest> {
  const { code } = await openWindow(server, rights, token)
  const reply = await askWith(server, { code }, more)
  expect(reply.status, reply.text).toBe(202)
  return reply.body
}

export const stateOf = (server: LanServer, { request_id, request_secret }: PairingRequest, wait = 0) =>
  server.lan(`GET /api/pair/${request_id}?wait=${wait}`, {
    headers: { 'promptdeck-pairing': request_secret },
  })

export const answer = (server: LanServer, id: string, verb: 'approve' | 'refuse', token?: string) =>
  server.call(`POST /api/pairing/requests/${id}/${verb}`, token === undefined ? {} : { token })

export type Paired = {
  readonly token: string
  readonly device_token?: string
  readonly user?: { readonly id: string; readonly username: string; readonly role: string }
}

/** Pairs a device: opens a window, asks, approves, and returns its tokens. */
export async function paired(
  server: LanServer,
  more: object = {},
  rights?: object,
  token?: string,
): Promise<Paired> {
  const request = await asked(server, more, rights, token)
  const approved = await answer(server, request.request_id, 'approve', token)
  expect(approved.status, approved.text).toBe(200)
  const state = await stateOf(server, request)
  expect(state.body.status).toBe('approved')
  return state.body
}

/** An SDK or a command line has no user. */
export const app = (kind: 'sdk' | 'cli', name: string) => ({
  kind,
  name,
  username: undefined,
  password: undefined,
})

export async function deviceNamed(server: LanServer, name: string, token?: string) {
  const reply = await server.call('GET /api/devices?limit=200', token === undefined ? {} : { token })
  const device = reply.body.data.find((row: { name: string }) => row.name === name)
  expect(device, `no device ${name}`).toBeDefined()
  return device
}
