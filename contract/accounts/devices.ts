import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { anyOf, Id, item, Name, Ok, page, paging, SearchText, Timestamp } from '../common/fields.ts'

/** Kinds of devices. A person signs in on the first two; `sdk` and `cli` use an API token. */
export const deviceKinds = ['browser', 'desktop', 'sdk', 'cli'] as const
export const DeviceKind = z.enum(deviceKinds)
export type DeviceKind = z.infer<typeof DeviceKind>

export const DeviceName = Name(64)

/** A paired browser, desktop app, SDK or command line. */
export const Device = z.object({
  id: Id,
  name: z.string(),
  kind: DeviceKind,
  user: z
    .object({ id: Id, username: z.string() })
    .nullable()
    .meta({ description: 'The user it was paired for; null if its API token has no owner' }),
  token_id: Id.nullable().meta({ description: 'The API token of an `sdk` or `cli`; null for the others' }),
  address: z.string().meta({ description: 'Address of its latest sign-in, or of its pairing' }),
  user_agent: z.string(),
  last_seen_at: Timestamp,
  expires_at: Timestamp.meta({
    description: 'For `browser` and `desktop`, each use extends it by the lifetime in the settings',
  }),
  state: z.enum(['active', 'expired']),
  is_current: z.boolean().meta({ description: 'True for the device of the calling session or token' }),
  approved_by: z.string(),
  created_at: Timestamp,
})
export type Device = z.infer<typeof Device>

const deviceSorts = ['name', '-name', 'last_seen_at', '-last_seen_at', 'created_at', '-created_at'] as const

export const ListDevicesQuery = z.strictObject({
  ...paging(deviceSorts),
  q: SearchText.optional(),
  kind: anyOf(DeviceKind),
  state: z.enum(['active', 'expired']).optional(),
  owner: z.enum(['me', 'all']).optional().meta({
    description: '`me`: only own devices. Admins get all devices by default, other users their own',
  }),
})

const deviceExample: z.input<typeof Device> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21',
  name: "Edda's phone",
  kind: 'browser',
  user: { id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11', username: 'edda' },
  token_id: null,
  address: '192.0.2.17',
  user_agent: 'Mozilla/5.0',
  last_seen_at: '2026-11-21T09:41:12.400Z',
  expires_at: '2027-02-19T09:41:12.400Z',
  state: 'active',
  is_current: false,
  approved_by: 'admin',
  created_at: '2026-11-21T09:30:00.000Z',
}

const byId = z.object({ id: Id })
const common = { tag: 'Devices', permission: 'signed_in', workspaces: 'none' } as const

export const devices = {
  list: endpoint({
    ...common,
    method: 'GET',
    path: '/api/devices',
    summary: 'List paired devices: all of them for admins, else your own',
    query: ListDevicesQuery,
    reply: page(Device),
    example: { query: 'kind=browser', reply: { data: [deviceExample], total: 1, next_cursor: null } },
  }),
  update: endpoint({
    ...common,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/devices/:id',
    summary: 'Rename a device',
    params: byId,
    body: z.strictObject({ name: DeviceName }),
    reply: item(Device),
    problems: ['not_found'],
    example: {
      body: { name: 'Kitchen tablet' },
      reply: { data: { ...deviceExample, name: 'Kitchen tablet' } },
    },
  }),
  revoke: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/devices/:id',
    summary: 'Revoke a device: its sessions, live connections and API token end immediately',
    params: byId,
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
}
