import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, Ok, Timestamp } from '../common/fields.ts'
import { CurrentPassword } from './passkeys.ts'

/** A code of an authenticator app, or a recovery code. Spaces and hyphens are ignored. */
export const Code = z.string().trim().min(6).max(64)

export const recoveryCodeCount = 10
const RecoveryCodes = z.array(z.string()).meta({
  description:
    'Each works once instead of a code from the app. They are stored as hashes and cannot be shown again',
})

export const SecondFactor = z.object({
  enabled: z.boolean(),
  enabled_at: Timestamp.nullable(),
  recovery_codes_left: z.int(),
  required: z.boolean().meta({ description: 'Whether the settings require it of every user' }),
})
export type SecondFactor = z.infer<typeof SecondFactor>

const withPassword = z.strictObject({ current_password: CurrentPassword })
const body = { current_password: 'a long phrase of mine' }
const codes = ['K7QF2M-ZX9TRA-4WVCB3-HN8PJE', '5YGD6S-KTU2AB-7CDE8F-GH9JKM']
const own = {
  workspaces: 'none',
  tag: 'Two-factor authentication',
  permission: 'signed_in',
  sessionOnly: true,
  whileMustSetUp: true,
} as const

export const secondFactor = {
  get: endpoint({
    ...own,
    method: 'GET',
    path: '/api/me/second-factor',
    summary: 'Get the state of your two-factor authentication',
    reply: item(SecondFactor),
    example: {
      reply: {
        data: {
          enabled: true,
          enabled_at: '2026-11-21T09:30:00.000Z',
          recovery_codes_left: 10,
          required: false,
        },
      },
    },
  }),
  start: endpoint({
    ...own,
    method: 'POST',
    path: '/api/me/second-factor',
    summary: 'Start to turn on two-factor authentication',
    description:
      'The reply has a new secret for an authenticator app (RFC 6238: SHA-1, 6 digits, 30 s). Nothing changes until a code confirms it, within 10 minutes and with this session.',
    body: withPassword,
    reply: item(
      z.object({
        setup: z.string().meta({ description: 'Send it with the code' }),
        secret: z.string().meta({ description: 'Base32' }),
        uri: z.string().meta({ description: 'The `otpauth:` address, for a QR code' }),
        expires_at: Timestamp,
      }),
    ),
    status: 201,
    problems: ['auth.invalid_credentials', 'user.second_factor_on', 'rate_limited'],
    example: {
      body,
      reply: {
        data: {
          setup: 'mJ7hX0Ywq3Vt8Zb2Lk5Rn9Cd1Sf6Pg4Ty7Ua0Ie3Wo0',
          secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
          uri: 'otpauth://totp/Promptdeck:edda?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Promptdeck',
          expires_at: '2026-11-21T09:40:00.000Z',
        },
      },
    },
  }),
  confirm: endpoint({
    ...own,
    method: 'POST',
    path: '/api/me/second-factor/confirm',
    summary: 'Turn on two-factor authentication with a code from the app',
    body: z.strictObject({ setup: z.string().min(1).max(128), code: Code }),
    reply: Ok.extend({ recovery_codes: RecoveryCodes }),
    problems: ['auth.challenge_expired', 'auth.invalid_code', 'user.second_factor_on', 'rate_limited'],
    example: {
      body: { setup: 'mJ7hX0Ywq3Vt8Zb2Lk5Rn9Cd1Sf6Pg4Ty7Ua0Ie3Wo0', code: '492039' },
      reply: { ok: true, recovery_codes: codes },
    },
  }),
  createRecoveryCodes: endpoint({
    ...own,
    method: 'POST',
    path: '/api/me/second-factor/recovery-codes',
    summary: 'Replace your recovery codes',
    body: withPassword,
    reply: item(z.object({ recovery_codes: RecoveryCodes })),
    status: 201,
    problems: ['auth.invalid_credentials', 'not_found', 'rate_limited'],
    example: { body, reply: { data: { recovery_codes: codes } } },
  }),
  remove: endpoint({
    ...own,
    method: 'POST',
    path: '/api/me/second-factor/remove',
    summary: 'Turn off two-factor authentication and delete the recovery codes',
    body: withPassword,
    reply: Ok,
    problems: ['auth.invalid_credentials', 'not_found', 'rate_limited'],
    example: { body, reply: { ok: true } },
  }),
  reset: endpoint({
    tag: 'Users',
    method: 'DELETE',
    path: '/api/users/:id/second-factor',
    workspaces: 'none',
    summary: 'Remove the second factor, the recovery codes and the passkeys of a user',
    description:
      'For a user who has lost them. All sessions of the user end, and the desktop apps are revoked; the next sign-in requires only the password. An API token can do this for an admin only if the setting `api_tokens_may_create_admins` allows it.',
    permission: 'users.manage',
    params: z.object({ id: Id }),
    reply: Ok.extend({ passkeys_removed: z.int(), sessions_ended: z.int() }),
    problems: ['not_found'],
    example: { reply: { ok: true, passkeys_removed: 1, sessions_ended: 2 } },
  }),
}
