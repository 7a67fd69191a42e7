import { z } from 'zod'
import { Id, Timestamp } from '../common/fields.ts'
import { DeviceKind } from './devices.ts'

/**
 * The ways to open a session. `totp` and `recovery_code` follow a password; `device` is the pairing of a device,
 * or the token of a paired desktop app.
 */
export const SignInMethod = z.enum(['password', 'totp', 'recovery_code', 'passkey', 'device'])
export type SignInMethod = z.infer<typeof SignInMethod>

export const Session = z.object({
  id: Id,
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  ip: z.string(),
  user_agent: z.string(),
  method: SignInMethod.meta({ description: 'How the user signed in' }),
  current: z.boolean(),
  device: z
    .object({ id: Id, name: z.string(), kind: DeviceKind })
    .nullable()
    .meta({ description: 'The paired device of the session; null if it has none' }),
})
export type Session = z.infer<typeof Session>

export const sessionExample: z.input<typeof Session> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
  created_at: '2026-11-21T09:30:00.000Z',
  last_seen_at: '2026-11-21T09:41:12.400Z',
  expires_at: '2026-11-21T17:41:12.400Z',
  ip: '127.0.0.1',
  user_agent: 'Mozilla/5.0',
  method: 'totp',
  current: true,
  device: { id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21', name: "Edda's phone", kind: 'browser' },
}
