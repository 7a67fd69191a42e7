import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, Timestamp } from '../common/fields.ts'
import { Role } from '../common/roles.ts'
import { ClientType } from '../live/clients.ts'
import { byId } from '../resources/versioned.ts'
import { Environment, promptExample, VersionLabel } from './prompt.ts'

/** A connected client that uses the key, and its progress. */
export const RolloutClient = z.object({
  id: Id,
  client_type: ClientType,
  app: z.string(),
  instance_id: z.string().nullable(),
  username: z.string(),
  remote_addr: z.string(),
  connected_at: Timestamp,
  version: VersionLabel.nullable().meta({ description: 'Newest acknowledged version; null if none' }),
  acked_at: Timestamp.nullable(),
  current: z.boolean().meta({ description: 'Whether the client runs the served version' }),
  behind_since: Timestamp.nullable().meta({
    description: 'When the served version was published or the client connected, whichever is later',
  }),
  latency_ms: z.int().nullable().meta({
    description: 'Time from publish to acknowledgement; null if the client was not connected at the publish',
  }),
  disconnected_at: Timestamp.optional(),
})
export type RolloutClient = z.infer<typeof RolloutClient>

export const Convergence = z.object({
  key: z.string(),
  env: Environment,
  workspace_id: Id,
  version: VersionLabel.nullable(),
  published_at: Timestamp.nullable(),
  total: z.int(),
  current: z.int(),
  behind: z.int(),
  versions: z.array(z.object({ version: VersionLabel.nullable(), count: z.int() })),
  median_ms: z.int().nullable(),
  slowest_ms: z.int().nullable(),
  clients: z
    .array(RolloutClient)
    .meta({ description: 'Outdated clients first; at most 500. The figures include all clients' }),
  gone: z.array(RolloutClient).meta({ description: 'Disconnected in the last hour; at most 100' }),
  silent: z.int().meta({
    description:
      'Connected clients of this environment that did not report their keys and may also use this prompt',
  }),
})
export type Convergence = z.infer<typeof Convergence>

export const Impact = z.object({
  version: VersionLabel.nullable().meta({ description: 'Served version' }),
  next_version: VersionLabel,
  has_changes: z.boolean(),
  diff: z.object({
    added_lines: z.int(),
    removed_lines: z.int(),
    type_changed: z.boolean(),
    model_changed: z.boolean(),
    params_changed: z.array(z.string()).meta({ description: 'Names of the parameters that differ' }),
  }),
  variables: z.object({
    added: z
      .array(z.string())
      .meta({ description: 'Variables in the draft that are not in the served version' }),
    removed: z.array(z.string()),
    sent: z.array(z.object({ name: z.string(), runs: z.int() })).meta({
      description: 'Variables that runs of the last 24 hours sent',
    }),
    runs_seen: z.int().meta({ description: 'Runs that reported their variables; at most the newest 10,000' }),
    not_sent: z.array(z.string()).meta({
      description:
        'Variables of the draft that have no default and that no run sent. Empty if no run reported its variables',
    }),
    no_longer_used: z
      .array(z.string())
      .meta({ description: 'Variables that runs send and the draft does not use' }),
  }),
  clients: z.object({
    total: z.int(),
    silent: z.int(),
    apps: z.array(z.object({ app: z.string(), client_type: ClientType, count: z.int() })),
  }),
  runs: z.object({
    from: Timestamp,
    total: z.int(),
    error: z.int(),
    by_version: z.array(z.object({ version: z.string().nullable(), count: z.int() })),
    unknown_env: z.int().meta({
      description: 'Runs of the key in an unknown environment. They are not part of the other figures',
    }),
  }),
  included_by: z.array(z.object({ id: Id, key: z.string() })).meta({
    description: 'Served prompts whose text changes too, because they include this one',
  }),
  protected: z.boolean(),
  required_role: Role.meta({ description: 'Lowest role that can publish this prompt' }),
})
export type Impact = z.infer<typeof Impact>

const clientExample: z.input<typeof RolloutClient> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b13',
  client_type: 'node-sdk',
  app: 'checkout',
  instance_id: 'checkout-1',
  username: 'service-token',
  remote_addr: '127.0.0.1',
  connected_at: '2026-11-21T09:00:00.000Z',
  version: 'v2',
  acked_at: '2026-11-21T09:00:00.180Z',
  current: false,
  behind_since: '2026-11-21T09:30:00.000Z',
  latency_ms: null,
}
const common = { tag: 'Prompts', params: byId, workspaces: 'item' } as const

export const promptRollout = {
  convergence: endpoint({
    ...common,
    method: 'GET',
    path: '/api/prompts/:id/convergence',
    summary: 'Get the versions that connected clients run, and how fast they acknowledged the served one',
    permission: 'resources.read',
    reply: item(Convergence),
    problems: ['not_found'],
    example: {
      reply: {
        data: {
          key: promptExample.key,
          env: 'prod',
          workspace_id: 'default',
          version: 'v3',
          published_at: '2026-11-21T09:30:00.000Z',
          total: 14,
          current: 13,
          behind: 1,
          versions: [
            { version: 'v3', count: 13 },
            { version: 'v2', count: 1 },
          ],
          median_ms: 180,
          slowest_ms: 410,
          clients: [clientExample],
          gone: [],
          silent: 0,
        },
      },
    },
  }),
  push: endpoint({
    ...common,
    method: 'POST',
    path: '/api/prompts/:id/push',
    summary: 'Announce the served version again to outdated clients',
    description: 'Does not change stored data, so it creates no version and no audit entry.',
    permission: 'resources.write',
    reply: item(z.object({ pushed: z.int(), version: VersionLabel })),
    problems: ['not_found', 'prompt.nothing_to_publish'],
    example: { reply: { data: { pushed: 1, version: 'v3' } } },
  }),
  impact: endpoint({
    ...common,
    method: 'GET',
    path: '/api/prompts/:id/impact',
    summary: 'Get the impact of publishing the draft: changes and affected clients',
    permission: 'resources.read',
    reply: item(Impact),
    problems: ['not_found'],
    example: {
      reply: {
        data: {
          version: 'v3',
          next_version: 'v4',
          has_changes: true,
          diff: {
            added_lines: 1,
            removed_lines: 1,
            type_changed: false,
            model_changed: false,
            params_changed: [],
          },
          variables: {
            added: ['first_name'],
            removed: ['name'],
            sent: [{ name: 'name', runs: 812 }],
            runs_seen: 812,
            not_sent: ['first_name'],
            no_longer_used: ['name'],
          },
          clients: { total: 14, silent: 0, apps: [{ app: 'checkout', client_type: 'node-sdk', count: 14 }] },
          runs: {
            from: '2026-11-20T09:41:12.400Z',
            total: 812,
            error: 3,
            by_version: [{ version: 'v3', count: 812 }],
            unknown_env: 0,
          },
          included_by: [{ id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21', key: 'billing/reminder' }],
          protected: false,
          required_role: 'editor',
        },
      },
    },
  }),
}
