import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, TestServer } from '../../support/service.ts'

export type Person = {
  readonly id: string
  readonly username: string
  readonly password: string
  readonly token: string
}
export type Enrolled = Person & { readonly secret: string; readonly recoveryCodes: readonly string[] }

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Decodes base32 (RFC 4648, 6) without padding. */
function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
}

/** Returns the code of a secret at a time (RFC 4226, 5.3 and RFC 6238, 4), independent of the library in use. */
export function codeAt(secret: string, at: Date, steps = 0): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 30_000) + steps))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0')
}

/** Turns on two-factor authentication of a user with the code of `at`. Another instance may confirm it. */
export async function enrol(
  server: TestServer,
  person: Person,
  at: Date,
  confirming = server,
): Promise<Enrolled> {
  const { token, password } = person
  const started = await server.call('POST /api/me/second-factor', {
    token,
    body: { current_password: password },
  })
  expect(started.status).toBe(201)
  const { setup, secret } = started.body.data
  const confirmed = await confirming.call('POST /api/me/second-factor/confirm', {
    token,
    body: { setup, code: codeAt(secret, at) },
  })
  expect(confirmed.status).toBe(200)
  return { ...person, secret, recoveryCodes: confirmed.body.recovery_codes }
}

export const signIn = (server: TestServer, body: unknown): Promise<Answer> =>
  server.call('POST /api/login', { token: null, body })

/** Enters the password and returns the challenge for a code. */
export async function challengeOf(server: TestServer, { username, password }: Person): Promise<string> {
  const reply = await signIn(server, { username, password })
  expect({ status: reply.status, code: reply.body.code }).toEqual({
    status: 401,
    code: 'auth.second_factor_required',
  })
  return reply.body.challenge
}
