import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { environments } from '../common/environments.ts'
import {
  anyOf,
  clearable,
  Id,
  item,
  Name,
  Ok,
  page,
  paging,
  SearchText,
  Timestamp,
} from '../common/fields.ts'
import { Role } from '../common/roles.ts'
import { Budget } from '../gateway/budgets.ts'
import { accessFields, accessInput, membership } from './access.ts'

/**
 * Bindings of an API token. `owner`: to the account that owns it. `service`: to no account. `undecided`: it
 * was created before tokens had owners.
 */
const tokenBindings = ['undecided', 'owner', 'service'] as const

const Namespace = z.enum(environments)

const descriptions = {
  gateway: 'True if the token may call models through the gateway',
  passThroughKey:
    'True if the gateway sends the key of the caller to the provider, instead of the stored one. The token is then in the header `Promptdeck-Token`. Only with `gateway`',
  budget: 'What calls through the gateway with this token may use; null for no limit',
  cache:
    'Time for which the gateway caches responses to requests of this token, in seconds; an identical request gets the cached response. Null, the default, turns the cache off',
}

/** Lifetime of cached responses in seconds; at most a day. */
const CacheSeconds = clearable(z.int().min(1).max(86_400)).meta({ description: descriptions.cache })

/** A credential for an app. Its secret is shown once, at creation, and stored as a hash. */
export const ApiToken = z.object({
  id: Id,
  name: z.string(),
  role: Role,
  ...accessFields,
  hint: z.string().meta({ description: 'The last four characters of the secret' }),
  workspace: z
    .string()
    .nullable()
    .meta({ description: 'ID of the workspace to which the token is limited; null for all' }),
  namespaces: z
    .array(Namespace)
    .nullable()
    .meta({ description: 'Environments to which the token is limited; null for all' }),
  gateway: z.boolean().meta({ description: descriptions.gateway }),
  pass_through_key: z.boolean().meta({ description: descriptions.passThroughKey }),
  budget: Budget.nullable().meta({ description: descriptions.budget }),
  cache_seconds: z.int().nullable().meta({ description: descriptions.cache }),
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  created_by: z.string(),
  created_by_id: Id.nullable().meta({ description: 'Null for the service token, or if unknown' }),
  binding: z.enum(tokenBindings).meta({
    description:
      '`owner`: ends with its owner and never has more rights. `service`: has no owner. `undecided`: created before tokens had owners; keeps its role and expiry until an admin chooses',
  }),
  owner: z
    .object({
      kind: z.enum(['user', 'api_token']),
      id: Id,
      name: z.string().nullable().meta({ description: 'Null if deleted or revoked' }),
    })
    .nullable()
    .meta({
      description: 'The owner: the user or token that created it, unless an admin changed it',
    }),
  effective_role: Role.nullable().meta({
    description: 'The lower of its own role and the current role of its owner; null if the token is rejected',
  }),
  effective_memberships: z.array(membership).nullable().meta({
    description:
      'The workspaces that the token can access now; null: all. Limited by the access of its owner',
  }),
  ended: z
    .enum(['expired', 'owner_deleted', 'owner_disabled', 'owner_ended'])
    .nullable()
    .meta({ description: 'Reason why the token is rejected' }),
  created_at: Timestamp,
})
export type ApiToken = z.infer<typeof ApiToken>

export const CreateTokenBody = z.strictObject({
  name: Name(128),
  role: Role.default('viewer'),
  ...accessInput,
  workspace: clearable(z.string().min(1).max(64).meta({ description: 'ID or slug' })),
  namespaces: clearable(z.array(Namespace).min(1).max(environments.length)),
  gateway: z.boolean().default(false).meta({ description: descriptions.gateway }),
  pass_through_key: z.boolean().default(false).meta({ description: descriptions.passThroughKey }),
  budget: clearable(Budget).meta({ description: descriptions.budget }),
  cache_seconds: CacheSeconds,
  expires_at: clearable(
    z.iso.datetime({ offset: true }).meta({
      description: 'At most `api_token_max_days` (a setting) from now, which is also the default',
    }),
  ),
  binding: clearable(
    z.enum(['owner', 'service']).meta({
      description:
        '`owner` (default): the account that creates the token owns it; the token ends with the account and never has more rights. `service`: the token has no owner. A token created with the service token is always `service`',
    }),
  ),
})

export const UpdateTokenBody = z.strictObject({
  binding: z.enum(['owner', 'service']).optional(),
  owner: clearable(
    z.string().min(1).max(128).meta({ description: 'ID or username of the owner, for `owner`' }),
  ),
  gateway: z.boolean().optional().meta({ description: descriptions.gateway }),
  pass_through_key: z.boolean().optional().meta({ description: descriptions.passThroughKey }),
  budget: clearable(Budget).meta({ description: descriptions.budget }),
  cache_seconds: CacheSeconds,
})

const tokenSorts = ['created_at', '-created_at', 'name', '-name'] as const

const common = { tag: 'API tokens', permission: 'tokens.manage', workspaces: 'none' } as const
const example: z.input<typeof ApiToken> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b17',
  name: 'checkout in prod',
  role: 'viewer',
  access: 'all',
  memberships: [],
  hint: '9c1e',
  workspace: 'default',
  namespaces: ['prod'],
  gateway: true,
  pass_through_key: false,
  budget: null,
  cache_seconds: null,
  expires_at: '2027-11-21T09:30:00.000Z',
  last_used_at: null,
  created_by: 'edda',
  created_by_id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
  binding: 'owner',
  owner: { kind: 'user', id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11', name: 'edda' },
  effective_role: 'viewer',
  effective_memberships: null,
  ended: null,
  created_at: '2026-11-21T09:30:00.000Z',
}

export const tokens = {
  list: endpoint({
    ...common,
    method: 'GET',
    path: '/api/tokens',
    summary: 'List the active API tokens, without their secrets',
    query: z.strictObject({
      ...paging(tokenSorts),
      q: SearchText.optional(),
      binding: z
        .enum(tokenBindings)
        .optional()
        .meta({ description: '`undecided`: tokens that require an owner' }),
      owner: anyOf(Id).meta({ description: 'ID of the owning user or token' }),
    }),
    reply: page(ApiToken),
    example: { query: 'sort=name', reply: { data: [example], total: 1, next_cursor: null } },
  }),
  create: endpoint({
    ...common,
    method: 'POST',
    path: '/api/tokens',
    summary: 'Create an API token; its secret is only in this reply',
    description:
      'A token that is limited to a workspace or to environments can use only what an app needs: `/api/me`, the SDK fetch, reporting runs and telemetry, the live connection, published prompts over MCP, and the gateway if `gateway` is true. With the access `listed`, a token may use every route of its workspaces with the roles in them. Every token expires: without `expires_at` after the maximum lifetime of the settings. It ends with the account that created it and never has more rights, unless `binding` is `service`. An API token can create a token with the role admin only if a setting allows it.',
    body: CreateTokenBody,
    reply: item(
      ApiToken.extend({
        token: z.string(),
        notice: z
          .string()
          .nullable()
          .meta({ description: 'Expiry of the token, if the request did not set one' }),
      }),
    ),
    status: 201,
    problems: ['store.full'],
    example: {
      body: { name: 'checkout in prod', workspace: 'default', namespaces: ['prod'] },
      reply: {
        data: {
          ...example,
          token: 'pd_api_4b7f…9c1e',
          notice:
            'Without expires_at, the token expires after 365 days, the maximum lifetime of the settings: on 2027-11-21.',
        },
      },
    },
  }),
  update: endpoint({
    ...common,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/tokens/:id',
    summary: 'Change the owner of an API token, its use of the gateway, or its budget',
    description:
      '`binding` and `owner` set or remove the owner, also of tokens created before tokens had owners. `gateway` allows or ends the use of the gateway, and `budget` limits it. Role and expiry do not change. Not available to API tokens.',
    params: z.object({ id: Id }),
    body: UpdateTokenBody,
    reply: item(ApiToken),
    problems: ['not_found'],
    example: { body: { binding: 'owner', owner: 'edda' }, reply: { data: example } },
  }),
  revoke: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/tokens/:id',
    summary: 'Revoke an API token immediately and close its live connections',
    params: z.object({ id: Id }),
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
}
