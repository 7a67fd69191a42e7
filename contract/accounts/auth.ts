import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, Ok, Timestamp } from '../common/fields.ts'
import { Role } from '../common/roles.ts'
import { accessFields } from './access.ts'
import { Session, sessionExample } from './session.ts'
import { NewPassword } from './users.ts'

/** Sign-in with either `username` and `password`, or `token`. */
export const LoginBody = z
  .strictObject({
    username: z.string().min(1).max(256).optional(),
    password: z.string().min(1).max(1024).optional(),
    token: z.string().min(1).max(1024).optional(),
  })
  .superRefine(({ username, password, token }, issues) => {
    const missing = (path: string) => issues.addIssue({ code: 'custom', path: [path], message: 'Required' })
    if (token === undefined) {
      if (username === undefined) missing('username')
      if (password === undefined) missing('password')
    } else if (username !== undefined || password !== undefined) {
      issues.addIssue({
        code: 'custom',
        path: ['token'],
        message: 'Set either `token`, or `username` and `password`',
      })
    }
  })

export const LoginReply = z.object({
  ok: z.literal(true),
  token: z.string(),
  token_type: z.literal('Bearer'),
  expires_at: Timestamp.nullable(),
  username: z.string(),
  role: Role,
  must_change_password: z.boolean(),
})

export const ChangePasswordReply = Ok.extend({
  token: z.string().meta({ description: 'Token to use for further requests' }),
  expires_at: Timestamp,
})

export const Me = z.object({
  id: Id.nullable(),
  username: z.string(),
  role: Role,
  ...accessFields,
  permissions: z.array(z.string()).meta({
    description:
      'Permissions of `role`. With the access `listed`, the role in a workspace decides there, see `memberships`',
  }),
  auth: z.enum(['session', 'service_token', 'api_token']),
  must_change_password: z.boolean(),
  expires_at: Timestamp.nullable(),
  defaults: z
    .object({ password: z.boolean(), token: z.boolean() })
    .meta({ description: 'Built-in credentials that are still active' }),
})
export type Me = z.infer<typeof Me>

export const auth = {
  login: endpoint({
    method: 'POST',
    path: '/api/login',
    workspaces: 'none',
    tag: 'Sign-in',
    summary: 'Sign in with a username and password, or verify a token',
    permission: 'public',
    body: LoginBody,
    reply: LoginReply,
    problems: ['auth.invalid_credentials', 'auth.invalid_token', 'rate_limited'],
    example: {
      body: { username: 'admin', password: 'admin' },
      reply: {
        ok: true,
        token: 'eyJhbGciOiJIUzI1NiJ9…',
        token_type: 'Bearer',
        expires_at: '2026-11-21T17:30:00.000Z',
        username: 'admin',
        role: 'admin',
        must_change_password: true,
      },
    },
  }),
  logout: endpoint({
    method: 'POST',
    path: '/api/logout',
    workspaces: 'none',
    tag: 'Sign-in',
    summary: 'Sign out: end this session and its live connections',
    permission: 'signed_in',
    forApps: true,
    whileMustChange: true,
    reply: Ok,
    example: { reply: { ok: true } },
  }),
  me: endpoint({
    method: 'GET',
    path: '/api/me',
    workspaces: 'none',
    tag: 'Sign-in',
    summary: 'Get the identity and permissions of the caller',
    permission: 'signed_in',
    forApps: true,
    whileMustChange: true,
    reply: Me,
    example: {
      reply: {
        id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
        username: 'edda',
        role: 'viewer',
        access: 'listed',
        memberships: [{ workspace_id: 'default', role: 'editor' }],
        permissions: ['runs.read', 'audit.read'],
        auth: 'session',
        must_change_password: false,
        expires_at: '2026-11-21T17:30:00.000Z',
        defaults: { password: false, token: false },
      },
    },
  }),
  changePassword: endpoint({
    method: 'PUT',
    path: '/api/me/password',
    workspaces: 'none',
    tag: 'Sign-in',
    summary: 'Change your password and end your other sessions',
    description:
      'The reply contains the token of a new session. The token of this request remains valid for 60 s. Its live connections and event streams move to the new session.',
    permission: 'signed_in',
    sessionOnly: true,
    whileMustChange: true,
    body: z.strictObject({ current_password: z.string().min(1).max(1024), new_password: NewPassword }),
    reply: ChangePasswordReply,
    problems: ['auth.invalid_credentials', 'rate_limited'],
    example: {
      body: { current_password: 'admin', new_password: 'a long phrase of my own' },
      reply: { ok: true, token: 'eyJhbGciOiJIUzI1NiJ9…', expires_at: '2026-11-21T17:30:00.000Z' },
    },
  }),
  sessions: endpoint({
    method: 'GET',
    path: '/api/me/sessions',
    workspaces: 'none',
    tag: 'Sign-in',
    summary: 'List your active sessions',
    permission: 'signed_in',
    sessionOnly: true,
    reply: item(z.array(Session)).extend({ total: z.int(), next_cursor: z.null() }),
    example: { reply: { data: [sessionExample], total: 1, next_cursor: null } },
  }),
  revokeSession: endpoint({
    method: 'DELETE',
    path: '/api/me/sessions/:id',
    workspaces: 'none',
    tag: 'Sign-in',
    summary: 'End one of your sessions',
    permission: 'signed_in',
    sessionOnly: true,
    params: z.object({ id: Id }),
    reply: Ok,
    problems: ['not_found'],
    example: { reply: { ok: true } },
  }),
}
