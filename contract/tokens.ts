import { z } from 'zod'
import { clearable, Id, item, Ok, page, paging, SearchText, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'
import { environments } from './live.ts'
import { Role } from './roles.ts'

const Namespace = z.enum(environments)

/** A credential for an app. Its secret is shown once, when it is made, and kept as a hash. */
export const ApiToken = z.object({
  id: Id,
  name: z.string(),
  role: Role,
  hint: z.string().meta({ description: 'The last four characters of the secret' }),
  workspace: z.string().nullable().meta({ description: 'Id of the only workspace it is for; null: any' }),
  namespaces: z
    .array(Namespace)
    .nullable()
    .meta({ description: 'The only environments it is for; null: any' }),
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  created_by: z.string(),
  created_at: Timestamp,
})
export type ApiToken = z.infer<typeof ApiToken>

export const CreateTokenBody = z.strictObject({
  name: z.string().trim().min(1).max(128),
  role: Role.default('viewer'),
  workspace: clearable(z.string().min(1).max(64).meta({ description: 'Id or slug' })),
  namespaces: clearable(z.array(Namespace).min(1).max(environments.length)),
  expires_at: clearable(z.iso.datetime({ offset: true })),
})

export const tokenSorts = ['created_at', '-created_at', 'name', '-name'] as const

const common = { tag: 'API tokens', permission: 'tokens.manage' } as const
const example: z.input<typeof ApiToken> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b17',
  name: 'checkout in prod',
  role: 'viewer',
  hint: '9c1e',
  workspace: 'default',
  namespaces: ['prod'],
  expires_at: null,
  last_used_at: null,
  created_by: 'edda',
  created_at: '2026-11-21T09:30:00.000Z',
}

export const tokens = {
  list: endpoint({
    ...common,
    method: 'GET',
    path: '/api/tokens',
    summary: 'The API tokens in force, without their secrets',
    query: z.strictObject({ ...paging(tokenSorts), q: SearchText.optional() }),
    reply: page(ApiToken),
    example: { query: 'sort=name', reply: { data: [example], total: 1, next_cursor: null } },
  }),
  create: endpoint({
    ...common,
    method: 'POST',
    path: '/api/tokens',
    summary: 'Make an API token; its secret is in this reply only',
    description:
      'A token that is limited to a workspace or to namespaces reaches what an app needs and nothing else: `/api/me`, the SDK fetch, reporting runs, and the live connection.',
    body: CreateTokenBody,
    reply: item(ApiToken.extend({ token: z.string() })),
    status: 201,
    problems: ['store.full'],
    example: {
      body: { name: 'checkout in prod', workspace: 'default', namespaces: ['prod'] },
      reply: { data: { ...example, token: 'pd_api_4b7f…9c1e' } },
    },
  }),
  revoke: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/tokens/:id',
    summary: 'Revoke an API token at once; its live connections end too',
    params: z.object({ id: Id }),
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
}
