import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, Ok, queryInt, Timestamp } from '../common/fields.ts'
import {
  maxWaitSeconds,
  maxWrongCodes,
  OpenedPairing,
  OpenPairingBody,
  PairBody,
  PairingIdentity,
  PairingRequest,
  PairingWindow,
  PairState,
  pairingHeader,
} from './pairing.ts'

const words = ['ladder', 'orbit', 'velvet', 'cactus']
const identityExample: z.input<typeof PairingIdentity> = {
  name: 'studio',
  fingerprint: '5F:2A:…:9C',
  words,
}
const requestId = '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b31'
const windowExample: z.input<typeof PairingWindow> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b30',
  role: 'editor',
  access: 'all',
  memberships: [],
  state: 'open',
  wrong_codes: 0,
  opened_by: 'admin',
  created_at: '2026-11-21T09:30:00.000Z',
  expires_at: '2026-11-21T09:35:00.000Z',
}
const requestExample: z.input<typeof PairingRequest> = {
  id: requestId,
  window_id: windowExample.id,
  status: 'pending',
  name: "Edda's phone",
  kind: 'browser',
  account: 'new',
  username: 'edda',
  address: '192.0.2.17',
  user_agent: 'Mozilla/5.0',
  words,
  role: 'editor',
  access: 'all',
  memberships: [],
  opened_by: 'admin',
  answered_by: null,
  created_at: '2026-11-21T09:31:00.000Z',
  expires_at: '2026-11-21T09:36:00.000Z',
}

const forAdmins = { tag: 'Pairing', permission: 'devices.manage', workspaces: 'none' } as const
const onNewDevice = { tag: 'Pairing', permission: 'public', workspaces: 'none', lanOnly: true } as const
const byRequest = z.object({ id: Id })

export const pairing = {
  open: endpoint({
    ...forAdmins,
    method: 'POST',
    path: '/api/pairing',
    summary: 'Open a pairing window: one new device may ask to be added within 5 minutes',
    description: `Closes the previous window of the same admin. The code and the secret are in this reply only. A window admits one request; ${maxWrongCodes} wrong codes close it.`,
    body: OpenPairingBody,
    reply: item(OpenedPairing),
    status: 201,
    problems: ['pairing.sharing_off'],
    example: {
      body: { role: 'editor' },
      reply: {
        data: {
          ...identityExample,
          id: windowExample.id,
          code: 'K7QM2XPD',
          secret: 'p4Jw…',
          qr: 'https://studio.local:4743/pair#secret=p4Jw…&fp=5f2a…9c',
          link: 'promptdeck://pair?address=studio.local%3A4743&secret=p4Jw…&fp=5f2a…9c',
          address: 'studio.local:4743',
          expires_at: windowExample.expires_at,
        },
      },
    },
  }),
  window: endpoint({
    ...forAdmins,
    method: 'GET',
    path: '/api/pairing',
    summary: 'Get your latest pairing window, without its secrets',
    reply: item(PairingWindow.nullable()),
    example: { reply: { data: windowExample } },
  }),
  close: endpoint({
    ...forAdmins,
    method: 'DELETE',
    path: '/api/pairing',
    summary: 'Close your pairing window',
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
  requests: endpoint({
    ...forAdmins,
    method: 'GET',
    path: '/api/pairing/requests',
    summary: 'List the pairing requests of the last minutes, newest first',
    reply: item(z.array(PairingRequest)).extend({ total: z.int(), next_cursor: z.null() }),
    example: { reply: { data: [requestExample], total: 1, next_cursor: null } },
  }),
  approve: endpoint({
    ...forAdmins,
    method: 'POST',
    path: '/api/pairing/requests/:id/approve',
    summary: 'Approve a pairing request',
    description:
      'Creates the user, unless the request is from an existing one, and the device. An existing user keeps role and access.',
    params: byRequest,
    reply: item(PairingRequest),
    problems: ['not_found', 'pairing.ended', 'user.username_taken', 'store.full'],
    example: { reply: { data: { ...requestExample, status: 'approved', answered_by: 'admin' } } },
  }),
  refuse: endpoint({
    ...forAdmins,
    method: 'POST',
    path: '/api/pairing/requests/:id/refuse',
    summary: 'Refuse a pairing request',
    params: byRequest,
    reply: item(PairingRequest),
    problems: ['not_found', 'pairing.ended'],
    example: { reply: { data: { ...requestExample, status: 'refused', answered_by: 'admin' } } },
  }),
  identity: endpoint({
    ...onNewDevice,
    method: 'GET',
    path: '/api/pair',
    summary: 'Get the name of the service and the words to compare',
    reply: item(PairingIdentity),
    example: { reply: { data: identityExample } },
  }),
  pair: endpoint({
    ...onNewDevice,
    method: 'POST',
    path: '/api/pair',
    summary: 'Ask to be added as a device, with the code or the secret of a pairing window',
    description:
      'A browser or desktop app chooses a new username and password, or signs in with existing ones. An `sdk` or `cli` sends neither. A wrong, expired and used code get the same reply.',
    body: PairBody,
    reply: PairingIdentity.pick({ name: true, words: true }).extend({
      request_id: Id,
      request_secret: z.string(),
      expires_at: Timestamp,
    }),
    status: 202,
    problems: ['pairing.wrong_code', 'auth.invalid_credentials', 'user.username_taken', 'rate_limited'],
    example: {
      body: {
        code: 'K7QM-2XPD',
        name: "Edda's phone",
        kind: 'browser',
        username: 'edda',
        password: 'a long phrase',
      },
      reply: {
        name: identityExample.name,
        words,
        request_id: requestId,
        request_secret: 'mB3x…',
        expires_at: requestExample.expires_at,
      },
    },
  }),
  state: endpoint({
    ...onNewDevice,
    method: 'GET',
    path: '/api/pair/:id',
    summary: 'Get the state of your pairing request, and the tokens once it is approved',
    description: `Requires the request's secret in the header \`${pairingHeader}\`. With \`wait\`, the reply is sent when the state changes or the time has elapsed.`,
    params: byRequest,
    query: z.strictObject({
      wait: queryInt(0, maxWaitSeconds).optional().meta({ description: 'Seconds to wait for a change' }),
    }),
    reply: PairState,
    problems: ['not_found'],
    example: { query: 'wait=25', reply: { status: 'pending' } },
  }),
}
