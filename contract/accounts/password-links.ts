import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, Ok, Timestamp } from '../common/fields.ts'
import { NewPassword } from './users.ts'

/** Lifetime of a one-time link, in hours. */
export const passwordLinkHours = 24

const LinkToken = z.string().min(1).max(128)
const token = 'pd_link_Yx3cR8mJ7hX0Ywq3Vt8Zb2Lk5Rn9Cd1Sf6Pg4Ty7Ua0'
const expires_at = '2026-11-22T09:30:00.000Z'

/** One-time links with which a user chooses a new password. */
export const passwordLinks = {
  create: endpoint({
    tag: 'Users',
    method: 'POST',
    path: '/api/users/:id/password-link',
    workspaces: 'none',
    summary: 'Create a one-time link with which the user chooses a new password',
    description: `The link is \`<address of the console>/reset#<token>\`. It works once, for ${passwordLinkHours} hours. The token is only in this reply and stored as a hash. A new link, and every change of the password, role, workspaces or state of the user, ends it. An API token can do this for an admin only if the setting \`api_tokens_may_create_admins\` allows it.`,
    permission: 'users.manage',
    params: z.object({ id: Id }),
    reply: item(z.object({ token: z.string(), username: z.string(), expires_at: Timestamp })),
    status: 201,
    problems: ['not_found'],
    example: { reply: { data: { token, username: 'edda', expires_at } } },
  }),
  check: endpoint({
    tag: 'Sign-in',
    method: 'POST',
    path: '/api/password-link/check',
    workspaces: 'none',
    summary: 'Get the user of a one-time link',
    permission: 'public',
    body: z.strictObject({ token: LinkToken }),
    reply: item(z.object({ username: z.string(), expires_at: Timestamp })),
    problems: ['password_link.invalid', 'rate_limited'],
    example: { body: { token }, reply: { data: { username: 'edda', expires_at } } },
  }),
  redeem: endpoint({
    tag: 'Sign-in',
    method: 'POST',
    path: '/api/password-link/redeem',
    workspaces: 'none',
    summary: 'Choose a new password with a one-time link',
    description:
      'All sessions of the user end. The user then signs in with the new password, and with a code if two-factor authentication is on.',
    permission: 'public',
    body: z.strictObject({ token: LinkToken, new_password: NewPassword }),
    reply: Ok.extend({ username: z.string() }),
    problems: ['password_link.invalid', 'rate_limited'],
    example: {
      body: { token, new_password: 'a long phrase of my own' },
      reply: { ok: true, username: 'edda' },
    },
  }),
}
