import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { anyOf, Id, item, Ok, page, paging, SearchText, Timestamp } from '../common/fields.ts'

export const clientTypes = ['node-sdk', 'python-sdk', 'java-sdk', 'browser'] as const
export const ClientType = z.enum(clientTypes)
export type ClientType = z.infer<typeof ClientType>

export const Client = z.object({
  id: Id,
  client_type: ClientType,
  app: z.string(),
  namespace: z.string().meta({ description: 'Environment of the client; `*` for a console session' }),
  remote_addr: z.string(),
  user_agent: z.string(),
  connected_at: Timestamp,
  last_seen_at: Timestamp,
  username: z.string(),
  instance_id: z.string().nullable(),
  sdk_version: z.string().nullable(),
  workspace: z.string(),
  keys: z.array(z.string()),
  acked: z.array(z.object({ key: z.string(), version: z.string(), at: Timestamp })),
  behind: z
    .array(z.string())
    .meta({ description: 'Keys of which the client acknowledged a version other than the served one' }),
  missing: z
    .array(z.string())
    .meta({ description: 'Keys that the client uses and that have no served version in its environment' }),
  sdk_outdated: z.boolean().nullable().meta({
    description:
      'Whether this service includes a newer release of the SDK; null if the client did not report its release',
  }),
  disconnected_at: Timestamp.optional().meta({
    description: 'Only with `include=gone`, for a disconnected client',
  }),
})
export type Client = z.infer<typeof Client>

/** Apps use prompts. Consoles are sessions of the console, which receive changes of all environments. */
const clientKinds = ['app', 'console'] as const
/** States of a client that need attention. A client can be in several of them. */
export const clientStates = ['behind', 'missing_key', 'outdated_sdk'] as const
export type ClientState = (typeof clientStates)[number]

export const clientSorts = ['connected_at', '-connected_at', 'app', '-app'] as const
const filters = {
  client_type: anyOf(ClientType),
  app: anyOf(z.string().min(1).max(128)),
  namespace: anyOf(z.string().min(1).max(64)).meta({ description: 'Environment' }),
  workspace: anyOf(z.string().min(1).max(64)),
  q: SearchText.optional(),
  include: z
    .literal('gone')
    .optional()
    .meta({ description: 'Also clients that disconnected within the last hour' }),
}
export const ListClientsQuery = z.strictObject({
  ...paging(clientSorts),
  ...filters,
  kind: z.enum(clientKinds).optional().meta({ description: 'Only apps, or only sessions of the console' }),
  state: anyOf(z.enum(clientStates)).meta({
    description:
      '`behind`: acknowledged a version other than the served one; `missing_key`: uses a key without a served version; `outdated_sdk`: this service includes a newer release of the SDK',
  }),
})
export const ClientSummaryQuery = z.strictObject(filters)

const stateCounts = {
  behind: z.int(),
  missing_key: z.int(),
  outdated_sdk: z.int(),
}
export const ClientApp = z.object({
  app: z.string(),
  clients: z.int(),
  ...stateCounts,
  environments: z.array(z.string()),
  client_types: z.array(ClientType),
  sdk_versions: z.array(z.string()),
  last_seen_at: Timestamp,
})
export type ClientApp = z.infer<typeof ClientApp>

/** Counts of clients. Each equals the `total` of the list with the filter of its name. */
export const ClientSummary = z.object({
  clients: z.int().meta({ description: 'Without consoles: `kind=app`' }),
  consoles: z.int().meta({ description: '`kind=console`' }),
  ...stateCounts,
  apps: z.array(ClientApp).meta({ description: 'By name' }),
})
export type ClientSummary = z.infer<typeof ClientSummary>

const clientExample: z.input<typeof Client> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b13',
  client_type: 'node-sdk',
  app: 'checkout',
  namespace: 'prod',
  remote_addr: '127.0.0.1',
  user_agent: 'node',
  connected_at: '2026-11-21T09:30:00.000Z',
  last_seen_at: '2026-11-21T09:41:12.400Z',
  username: 'service-token',
  instance_id: null,
  sdk_version: '0.1.0',
  workspace: 'default',
  keys: ['greet'],
  acked: [{ key: 'greet', version: 'v3', at: '2026-11-21T09:31:00.000Z' }],
  behind: [],
  missing: [],
  sdk_outdated: false,
}
const tag = 'Clients'

export const clients = {
  list: endpoint({
    tag,
    method: 'GET',
    path: '/api/clients',
    workspaces: 'filter',
    summary: 'List connected SDKs and browsers',
    permission: 'clients.read',
    query: ListClientsQuery,
    reply: page(Client),
    example: { query: 'namespace=prod', reply: { data: [clientExample], total: 1, next_cursor: null } },
  }),
  summary: endpoint({
    tag,
    method: 'GET',
    path: '/api/clients/summary',
    workspaces: 'filter',
    summary: 'Count clients by state and by app',
    description:
      'Accepts the filters of the list. The counts of the states, and the apps, contain no sessions of the console.',
    permission: 'clients.read',
    query: ClientSummaryQuery,
    reply: item(ClientSummary),
    example: {
      query: 'namespace=prod',
      reply: {
        data: {
          clients: 3,
          consoles: 1,
          behind: 1,
          missing_key: 0,
          outdated_sdk: 0,
          apps: [
            {
              app: 'checkout',
              clients: 3,
              behind: 1,
              missing_key: 0,
              outdated_sdk: 0,
              environments: ['prod'],
              client_types: ['node-sdk'],
              sdk_versions: ['0.1.0'],
              last_seen_at: '2026-11-21T09:41:12.400Z',
            },
          ],
        },
      },
    },
  }),
  disconnect: endpoint({
    tag,
    method: 'DELETE',
    path: '/api/clients/:id',
    workspaces: 'item',
    summary: 'Disconnect a client (close code 4403)',
    permission: 'clients.disconnect',
    params: z.object({ id: Id }),
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
}
