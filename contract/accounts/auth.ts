import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, Ok, Timestamp } from '../common/fields.ts'
import { Role } from '../common/roles.ts'
import { accessFields } from './access.ts'
import { AuthenticationResponse } from './passkeys.ts'
import { Code } from './second-factor.ts'
import { Session, sessionExample } from './session.ts'
import { NewPassword } from './users.ts'

const loginFields = {
  username: z.string().min(1).max(256).optional(),
  password: z.string().min(1).max(1024).optional(),
  token: z.string().min(1).max(1024).optional(),
  challenge: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: 'Of the 401 `auth.second_factor_required`' }),
  code: Code.optional().meta({ description: 'A code from the authenticator app, or a recovery code' }),
  passkey: AuthenticationResponse.optional().meta({
    description: 'The reply of the browser to the options of `POST /api/login/passkey-options`',
  }),
}
type LoginField = keyof typeof loginFields

/** The ways to sign in, each with its fields. */
const loginForms: readonly (readonly LoginField[])[] = [
  ['token'],
  ['passkey'],
  ['challenge', 'code'],
  ['username', 'password'],
]

/** Sign-in with the fields of exactly one of the ways. */
export const LoginBody = z.strictObject(loginFields).superRefine((body, issues) => {
  const isSet = (field: LoginField) => body[field] !== undefined
  const form = loginForms.find((fields) => fields.some(isSet)) ?? ['username', 'password']
  for (const field of form) {
    if (!isSet(field)) issues.addIssue({ code: 'custom', path: [field], message: 'Required' })
  }
  const others = (Object.keys(loginFields) as LoginField[]).filter(
    (field) => isSet(field) && !form.includes(field),
  )
  if (others.length === 0) return
  const message = 'Set either `username` and `password`, `challenge` and `code`, `passkey`, or `token`'
  issues.addIssue({ code: 'custom', path: [form[0] ?? 'token'], message })
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
  second_factor: z.boolean().meta({ description: 'Whether two-factor authentication is on' }),
  must_set_up_second_factor: z.boolean().meta({
    description: 'Whether the settings require it, so that the user can do nothing else before',
  }),
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
    summary: 'Sign in with a username and password or a passkey, or verify a token',
    description:
      'A user with two-factor authentication gets 401 `auth.second_factor_required` for the right password, with a `challenge`. A second request with `challenge` and `code` completes the sign-in within 5 minutes. A passkey counts as both factors.',
    permission: 'public',
    body: LoginBody,
    reply: LoginReply,
    problems: [
      'auth.invalid_credentials',
      'auth.invalid_token',
      'auth.second_factor_required',
      'auth.invalid_code',
      'auth.challenge_expired',
      'auth.invalid_passkey',
      'passkey.origin_unsupported',
      'rate_limited',
    ],
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
        second_factor: true,
        must_set_up_second_factor: false,
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
