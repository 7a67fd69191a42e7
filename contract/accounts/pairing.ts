import { z } from 'zod'
import { Id, Timestamp } from '../common/fields.ts'
import { Role } from '../common/roles.ts'
import { accessFields, accessInput } from './access.ts'
import { DeviceKind, DeviceName } from './devices.ts'
import { Code } from './second-factor.ts'
import { NewPassword, Username } from './users.ts'

/** Lifetime of a pairing window and of a pairing request, in seconds. */
export const pairingSeconds = 5 * 60
/** Number of wrong codes that close a window. */
export const maxWrongCodes = 10
export const codeLength = 8
/** The 32 symbols of a pairing code: digits and letters without I, L, O and U (Crockford's base 32). */
export const codeAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Maximum time that a request for the state of a pairing request waits for a change, in seconds. */
export const maxWaitSeconds = 25
/** The header that carries the secret of a pairing request. */
export const pairingHeader = 'Promptdeck-Pairing'
/** The header that carries the device token of a paired browser or desktop app, for example on sign-in. */
export const deviceHeader = 'Promptdeck-Device'

/** Normalizes a typed code for comparison: upper case, no spaces or hyphens, similar letters replaced. */
export const normalizeCode = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/[\s-]+/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')

/** The rights that a new user gets. */
const rights = { role: Role, ...accessFields }

export const OpenPairingBody = z
  .strictObject({
    role: Role,
    access: accessInput.access,
    memberships: accessInput.memberships,
  })
  .superRefine(({ role, access = 'all', memberships = [] }, issues) => {
    const issue = (path: string, message: string) =>
      issues.addIssue({ code: 'custom', path: [path], message })
    if (access === 'all' && memberships.length > 0) issue('memberships', 'Only with the access `listed`')
    if (access === 'listed' && memberships.length === 0) issue('memberships', 'Choose at least one workspace')
    if (access === 'listed' && role !== 'viewer')
      issue('role', 'With the access `listed`, the role is viewer')
    const ids = memberships.map(({ workspace_id }) => workspace_id)
    if (new Set(ids).size < ids.length) issue('memberships', 'Each workspace at most once')
  })

const Words = z.array(z.string()).meta({ description: 'Four words computed from the fingerprint' })

/** The facts by which a new device recognizes the service. */
export const PairingIdentity = z.object({
  name: z.string().meta({ description: 'Name of the service' }),
  fingerprint: z.string().meta({ description: 'SHA-256 of the certificate authority' }),
  words: Words,
})
export type PairingIdentity = z.infer<typeof PairingIdentity>

/** A pairing window, for the admin who opened it. Contains no secrets. */
export const PairingWindow = z.object({
  id: Id,
  ...rights,
  state: z.enum(['open', 'used', 'expired', 'closed', 'guessed']).meta({
    description: `\`guessed\`: closed after ${maxWrongCodes} wrong codes`,
  }),
  wrong_codes: z.int(),
  opened_by: z.string(),
  created_at: Timestamp,
  expires_at: Timestamp,
})
export type PairingWindow = z.infer<typeof PairingWindow>

export const OpenedPairing = PairingIdentity.extend({
  id: Id,
  code: z.string().meta({ description: `One-time code of ${codeLength} characters` }),
  secret: z.string().meta({ description: 'One-time secret of 128 random bits; part of `qr`' }),
  qr: z.string().meta({ description: 'Text of the QR code: the address of the pairing page' }),
  link: z.string().meta({
    description: 'Text of a link that the desktop app opens and the command accepts; it contains the secret',
  }),
  address: z.string().meta({ description: 'Host and port to type on the new device' }),
  expires_at: Timestamp,
})
export type OpenedPairing = z.infer<typeof OpenedPairing>

export const PairBody = z.strictObject({
  code: z.string().min(1).max(32).optional().meta({ description: 'Or `secret`' }),
  secret: z.string().min(1).max(128).optional(),
  name: DeviceName,
  kind: DeviceKind,
  account: z.enum(['new', 'existing']).optional().meta({
    description: 'Of a browser or desktop app. Default: `existing` if a user has that name, else `new`',
  }),
  username: z.string().min(1).max(256).optional(),
  password: z.string().min(1).max(1024).optional(),
  second_factor_code: Code.optional().meta({
    description: 'Needed for an existing user with two-factor authentication',
  }),
})
export type PairBody = z.output<typeof PairBody>

/** The name and password of a new user, which are checked once the code is known to be right. */
export const NewAccount = z.object({ username: Username, password: NewPassword })

export const PairState = z.object({
  status: z.enum(['pending', 'approved', 'refused', 'expired']),
  token: z.string().optional().meta({
    description:
      'If approved: a session token (browser), a device token (desktop) or an API token (sdk, cli)',
  }),
  device_token: z.string().optional().meta({
    description: 'Only for a browser. Marks it as paired; signs nobody in',
  }),
  user: z.object({ id: Id, username: z.string(), role: Role }).optional(),
})
export type PairState = z.infer<typeof PairState>

/** A pairing request as admins see it. */
export const PairingRequest = z.object({
  id: Id,
  window_id: Id.meta({ description: 'The window whose code it used' }),
  status: z.enum(['pending', 'approved', 'refused', 'expired']),
  name: z.string(),
  kind: DeviceKind,
  account: z.enum(['new', 'existing', 'none']).meta({ description: '`none`: an `sdk` or `cli`' }),
  username: z.string().nullable(),
  address: z.string(),
  user_agent: z.string(),
  words: Words,
  ...rights,
  role: Role.meta({ description: 'The role that the device will have; an existing user keeps its own' }),
  opened_by: z.string(),
  answered_by: z.string().nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
})
export type PairingRequest = z.infer<typeof PairingRequest>
