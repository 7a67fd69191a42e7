import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { item, Timestamp } from '../common/fields.ts'

const NetworkState = z.enum(['off', 'listening', 'blocked', 'failed']).meta({
  description:
    '`off`; `listening`: shared on `addresses`; `blocked`: not possible until the blockers are removed; `failed`: cannot listen now, retried by itself',
})
export type NetworkState = z.infer<typeof NetworkState>

const NetworkBlockerCode = z.enum([
  'default_password',
  'default_token',
  'short_token',
  'no_address',
  'listen_failed',
  'authority',
  'own_certificate',
])
export type NetworkBlockerCode = z.infer<typeof NetworkBlockerCode>

const NetworkDiscovery = z.enum(['off', 'announced', 'failed']).meta({
  description: '`off`; `announced`; `failed`: no announcement is possible now, retried by itself',
})
export type NetworkDiscovery = z.infer<typeof NetworkDiscovery>

const interfaceName = z.string().min(1).max(64)
const port = z.int().min(0).max(65_535)
const name = z.string().trim().min(1).max(63)

export const Network = z.object({
  enabled: z.boolean(),
  state: NetworkState,
  port: z.int().meta({ description: 'The TCP port in use, or the chosen one while nothing listens' }),
  interfaces: z
    .array(z.object({ name: z.string(), address: z.string(), selected: z.boolean() }))
    .meta({ description: 'The private addresses of this computer; public ones are never shared' }),
  chosen_interfaces: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Names of interfaces or addresses; null: all, including later ones' }),
  addresses: z
    .array(z.string())
    .meta({ description: 'Origins at which other devices reach the service, IPv4 addresses first' }),
  name: z.string().meta({ description: 'The name that other devices see; by default the host name' }),
  discoverable: z.boolean().meta({
    description: 'Announce the service on the network (mDNS) while it is shared, so that apps list it',
  }),
  discovery: NetworkDiscovery,
  fingerprint: z
    .string()
    .nullable()
    .meta({ description: 'SHA-256 of the certificate authority; null while the service is not shared' }),
  words: z.array(z.string()).meta({ description: 'Four words computed from the fingerprint' }),
  certificate: z
    .object({
      not_after: Timestamp,
      authority_not_after: Timestamp,
      source: z.enum(['local', 'own']).meta({ description: '`own`: from TLS_CERT and TLS_KEY' }),
    })
    .nullable(),
  blockers: z.array(z.object({ code: NetworkBlockerCode, message: z.string() })).meta({
    description:
      'Why the service is not shared, or not on every address, and what to do; while off: what would prevent it',
  }),
  fixed: z
    .array(z.string())
    .meta({ description: 'Environment variables that determine fields; those cannot be changed here' }),
  updated: z.object({ at: Timestamp, by: z.string() }).nullable(),
})
export type Network = z.infer<typeof Network>

export const UpdateNetworkBody = z.strictObject({
  enabled: z.boolean(),
  interfaces: z.array(interfaceName).min(1).max(64).nullable().optional().meta({
    description: 'Names of interfaces or addresses; null: all, including later ones',
  }),
  port: port.min(1).optional(),
  name: name.nullable().optional().meta({ description: 'Null: the host name' }),
  discoverable: z.boolean().optional().meta({
    description:
      'Announce name, port and the beginning of the fingerprint by mDNS while the service is shared',
  }),
})

const example: z.input<typeof Network> = {
  enabled: true,
  state: 'listening',
  port: 4743,
  interfaces: [{ name: 'eth0', address: '192.168.1.20', selected: true }],
  chosen_interfaces: null,
  addresses: ['https://desk.local:4743'],
  name: 'desk',
  discoverable: false,
  discovery: 'off',
  fingerprint:
    '9F:86:D0:81:88:4C:7D:65:9A:2F:EA:A0:C5:5A:D0:15:A3:BF:4F:1B:2B:0B:82:2C:D1:5D:6C:15:B0:F0:0A:08',
  words: ['orbit', 'lemon', 'castle', 'spirit'],
  certificate: {
    not_after: '2027-02-19T09:30:00.000Z',
    authority_not_after: '2036-11-18T09:30:00.000Z',
    source: 'local',
  },
  blockers: [],
  fixed: [],
  updated: { at: '2026-11-21T09:30:00.000Z', by: 'admin' },
}
const common = { tag: 'Network', permission: 'settings.manage', workspaces: 'none' } as const

export const network = {
  get: endpoint({
    ...common,
    method: 'GET',
    path: '/api/network',
    summary: 'Get the state of sharing on the local network',
    reply: item(Network),
    example: { reply: { data: example } },
  }),
  update: endpoint({
    ...common,
    method: 'PUT',
    path: '/api/network',
    summary: 'Share the service on the local network over TLS, or stop sharing it',
    description:
      'Omitted fields do not change. Rejected while a built-in password or token is active. Loopback stays plain HTTP in any case.',
    body: UpdateNetworkBody,
    reply: item(Network),
    problems: ['network.defaults_in_use'],
    example: { body: { enabled: true }, reply: { data: example } },
  }),
  replaceAuthority: endpoint({
    ...common,
    method: 'POST',
    path: '/api/network/authority',
    summary: 'Create a new certificate authority; every device has to trust it again',
    description:
      'Use it before the authority expires, or if its file is lost or was copied by someone. The old file is renamed.',
    reply: item(Network),
    status: 201,
    example: { reply: { data: example } },
  }),
}
