import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { anyOf, Id, item, Name, Ok, page, paging, readOnly, SearchText, Timestamp } from '../common/fields.ts'
import { Role } from '../common/roles.ts'
import { accessFields, accessInput } from './access.ts'
import { Session, sessionExample } from './session.ts'

/** The name of a user, which is unique ignoring case. */
export const Username = Name(64)

/**
 * 8–256 characters; no composition rules (NIST SP 800-63B §3.1.1.2). The service rejects common passwords
 * and the username.
 */
export const NewPassword = z.string().min(8).max(256)

export const User = z.object({
  id: Id,
  username: z.string(),
  role: Role,
  ...accessFields,
  disabled: z.boolean(),
  must_change_password: z.boolean(),
  second_factor: z.boolean().meta({ description: 'Whether sign-in with the password also needs a code' }),
  last_login_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type User = z.infer<typeof User>

export const CreateUserBody = z.strictObject({
  username: Username,
  password: NewPassword,
  role: Role,
  ...accessInput,
  disabled: z.boolean().optional(),
  must_change_password: z.boolean().optional(),
})

export const UpdateUserBody = CreateUserBody.partial().extend(
  readOnly('id', 'second_factor', 'last_login_at', 'created_at', 'updated_at'),
)

const userSorts = [
  'username',
  '-username',
  'created_at',
  '-created_at',
  'last_login_at',
  '-last_login_at',
] as const

export const ListUsersQuery = z.strictObject({
  ...paging(userSorts),
  role: anyOf(Role),
  disabled: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  q: SearchText.optional(),
})

const byId = z.object({ id: Id })
const userExample: z.input<typeof User> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
  username: 'edda',
  role: 'viewer',
  access: 'listed',
  memberships: [{ workspace_id: 'default', role: 'editor' }],
  disabled: false,
  must_change_password: false,
  second_factor: false,
  last_login_at: null,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
}
const common = { tag: 'Users', permission: 'users.manage', workspaces: 'none' } as const

export const users = {
  list: endpoint({
    ...common,
    method: 'GET',
    path: '/api/users',
    summary: 'List users',
    query: ListUsersQuery,
    reply: page(User),
    example: { query: 'role=viewer&limit=10', reply: { data: [userExample], total: 1, next_cursor: null } },
  }),
  create: endpoint({
    ...common,
    method: 'POST',
    path: '/api/users',
    summary: 'Add a user',
    body: CreateUserBody,
    reply: item(User),
    status: 201,
    problems: ['user.username_taken', 'store.full'],
    example: {
      body: {
        username: 'edda',
        password: 'a long phrase of hers',
        role: 'viewer',
        access: 'listed',
        memberships: [{ workspace_id: 'default', role: 'editor' }],
      },
      reply: { data: userExample },
    },
  }),
  get: endpoint({
    ...common,
    method: 'GET',
    path: '/api/users/:id',
    summary: 'Get a user',
    params: byId,
    reply: item(User),
    problems: ['not_found'],
    example: { reply: { data: userExample } },
  }),
  update: endpoint({
    ...common,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/users/:id',
    summary: 'Update a user',
    description:
      'A new password, and disabling the user, end all sessions of the user. A new password also revokes the desktop apps of the user. A new role and a new access apply from the next request, and immediately to open connections. The last active admin can be neither demoted nor disabled.',
    params: byId,
    body: UpdateUserBody,
    reply: item(User),
    problems: ['not_found', 'user.username_taken', 'user.last_admin'],
    example: {
      body: { access: 'all', role: 'editor' },
      reply: { data: { ...userExample, role: 'editor', access: 'all', memberships: [] } },
    },
  }),
  remove: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/users/:id',
    summary: 'Delete a user',
    params: byId,
    reply: Ok,
    problems: ['not_found', 'user.last_admin'],
    example: { reply: { ok: true } },
  }),
  sessions: endpoint({
    ...common,
    method: 'GET',
    path: '/api/users/:id/sessions',
    summary: 'List the active sessions of a user',
    params: byId,
    reply: item(z.array(Session)).extend({ total: z.int(), next_cursor: z.null() }),
    problems: ['not_found'],
    example: { reply: { data: [{ ...sessionExample, current: false }], total: 1, next_cursor: null } },
  }),
  revokeSession: endpoint({
    ...common,
    method: 'DELETE',
    path: '/api/users/:id/sessions/:session_id',
    summary: 'End one session of a user',
    params: byId.extend({ session_id: Id }),
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
  revokeSessions: endpoint({
    ...common,
    method: 'POST',
    path: '/api/users/:id/revoke-sessions',
    summary: 'End all sessions of a user',
    description: 'Also revokes the desktop apps of the user, which would open new sessions.',
    params: byId,
    reply: Ok.extend({ revoked: z.int() }),
    problems: ['not_found'],
    example: { reply: { ok: true, revoked: 2 } },
  }),
}
