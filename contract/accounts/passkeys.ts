import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, Name, Ok, Timestamp } from '../common/fields.ts'

const Base64Url = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^[\w-]+$/, 'Expected base64url')

/** The reply of `navigator.credentials.create`, as JSON (WebAuthn 3, RegistrationResponseJSON). */
export const RegistrationResponse = z.looseObject({
  id: Base64Url,
  rawId: Base64Url,
  type: z.literal('public-key'),
  response: z.looseObject({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    transports: z.array(z.string().max(32)).max(16).optional(),
  }),
  clientExtensionResults: z.record(z.string(), z.unknown()),
})
export type RegistrationResponse = z.infer<typeof RegistrationResponse>

/** The reply of `navigator.credentials.get`, as JSON (WebAuthn 3, AuthenticationResponseJSON). */
export const AuthenticationResponse = z.looseObject({
  id: Base64Url,
  rawId: Base64Url,
  type: z.literal('public-key'),
  response: z.looseObject({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.optional(),
  }),
  clientExtensionResults: z.record(z.string(), z.unknown()),
})
export type AuthenticationResponse = z.infer<typeof AuthenticationResponse>

const PasskeyName = Name(64)

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  host: z.string().meta({ description: 'The host name at which the passkey works' }),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
})
export type Passkey = z.infer<typeof Passkey>

/** Options for the browser's WebAuthn API, as JSON. The challenge in them works once, for 5 minutes. */
const Options = z.object({ options: z.looseObject({ challenge: z.string() }) })

export const CurrentPassword = z.string().min(1).max(1024)

const passkey: z.input<typeof Passkey> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21',
  name: 'Laptop',
  host: 'localhost',
  created_at: '2026-11-21T09:30:00.000Z',
  last_used_at: null,
}
const challenge = 'mJ7hX0Ywq3Vt8Zb2Lk5Rn9Cd1Sf6Pg4Ty7Ua0Ie3Wo0'
const byId = z.object({ id: Id })
const own = {
  workspaces: 'none',
  tag: 'Passkeys',
  permission: 'signed_in',
  sessionOnly: true,
  whileMustSetUp: true,
} as const

export const passkeys = {
  signInOptions: endpoint({
    tag: 'Passkeys',
    method: 'POST',
    path: '/api/login/passkey-options',
    workspaces: 'none',
    summary: 'Start a sign-in with a passkey',
    description:
      'Complete it with `POST /api/login {passkey}`. Passkeys work at `localhost` and at host names with HTTPS, not at IP addresses. The request needs an `Origin` header, which browsers send.',
    permission: 'public',
    reply: Options,
    problems: ['passkey.origin_unsupported', 'rate_limited'],
    example: { reply: { options: { challenge, rpId: 'localhost', userVerification: 'required' } } },
  }),
  list: endpoint({
    ...own,
    method: 'GET',
    path: '/api/me/passkeys',
    summary: 'List your passkeys',
    reply: item(z.array(Passkey)).extend({ total: z.int(), next_cursor: z.null() }),
    example: { reply: { data: [passkey], total: 1, next_cursor: null } },
  }),
  createOptions: endpoint({
    ...own,
    method: 'POST',
    path: '/api/me/passkeys/options',
    summary: 'Start to add a passkey',
    body: z.strictObject({ current_password: CurrentPassword }),
    reply: Options,
    problems: ['auth.invalid_credentials', 'passkey.origin_unsupported', 'rate_limited'],
    example: {
      body: { current_password: 'a long phrase of mine' },
      reply: { options: { challenge, rp: { id: 'localhost', name: 'Promptdeck' } } },
    },
  }),
  create: endpoint({
    ...own,
    method: 'POST',
    path: '/api/me/passkeys',
    summary: 'Add a passkey',
    body: z.strictObject({ name: PasskeyName, response: RegistrationResponse }),
    reply: item(Passkey),
    status: 201,
    problems: ['auth.challenge_expired', 'auth.invalid_passkey', 'passkey.origin_unsupported'],
    example: {
      body: {
        name: 'Laptop',
        response: {
          id: 'AQID',
          rawId: 'AQID',
          type: 'public-key',
          response: { clientDataJSON: 'e30', attestationObject: 'o2Nm' },
          clientExtensionResults: {},
        },
      },
      reply: { data: passkey },
    },
  }),
  update: endpoint({
    ...own,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/me/passkeys/:id',
    summary: 'Rename a passkey',
    params: byId,
    body: z.strictObject({ name: PasskeyName }),
    reply: item(Passkey),
    problems: ['not_found'],
    example: { body: { name: 'Phone' }, reply: { data: { ...passkey, name: 'Phone' } } },
  }),
  remove: endpoint({
    ...own,
    method: 'POST',
    path: '/api/me/passkeys/:id/remove',
    summary: 'Remove a passkey',
    params: byId,
    body: z.strictObject({ current_password: CurrentPassword }),
    reply: Ok,
    problems: ['not_found', 'auth.invalid_credentials', 'rate_limited'],
    example: { body: { current_password: 'a long phrase of mine' }, reply: { ok: true } },
  }),
}
