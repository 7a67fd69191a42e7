import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, Timestamp } from '../common/fields.ts'
import { SignInMethod } from './session.ts'

/** The sign-ins of a user from one device and network. */
export const SignIn = z.object({
  id: Id,
  ip: z.string().meta({ description: 'The address of the latest sign-in' }),
  user_agent: z.string(),
  method: SignInMethod,
  count: z.int(),
  first_at: Timestamp,
  last_at: Timestamp,
  is_new: z.boolean().meta({
    description: 'True for a week if the user had signed in before, but not with this device and address',
  }),
  current: z
    .boolean()
    .meta({ description: 'Whether the current session was opened from this device and network' }),
})
export type SignIn = z.infer<typeof SignIn>

export const signIns = {
  list: endpoint({
    method: 'GET',
    path: '/api/me/sign-ins',
    workspaces: 'none',
    tag: 'Sign-in',
    summary: 'List the devices and addresses from which you signed in, latest first',
    description: 'At most 50. Two addresses of the same IPv6 /64 are one.',
    permission: 'signed_in',
    sessionOnly: true,
    reply: item(z.array(SignIn)).extend({ total: z.int(), next_cursor: z.null() }),
    example: {
      reply: {
        data: [
          {
            id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b31',
            ip: '203.0.113.5',
            user_agent: 'Mozilla/5.0',
            method: 'totp',
            count: 3,
            first_at: '2026-11-20T09:30:00.000Z',
            last_at: '2026-11-21T09:30:00.000Z',
            is_new: true,
            current: false,
          },
        ],
        total: 1,
        next_cursor: null,
      },
    },
  }),
}
