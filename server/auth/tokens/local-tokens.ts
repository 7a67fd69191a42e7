import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/*
 * A local token proves that its bearer can read the lock of the data folder. Only the operating-system user
 * of the service can do so, and could also replace the whole store. The command `promptdeck` creates one
 * token per request:
 *
 *   pd_local_<time of creation in milliseconds, base 36>_<nonce>_<HMAC over both>
 */
const prefix = 'pd_local_'
const shape = /^pd_local_([0-9a-z]{1,11})_([\w-]{22})_([\w-]{43})$/
/** Validity before and after the time of creation, in milliseconds: both processes use one clock. */
const validMs = 30_000

const proofOf = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(`promptdeck-local-token\n${text}`).digest('base64url')

/** Creates a token that is valid for half a minute. */
export function newLocalToken(key: Buffer, now: Date): string {
  const text = `${now.getTime().toString(36)}_${randomBytes(16).toString('base64url')}`
  return `${prefix}${text}_${proofOf(key, text)}`
}

export type LocalTokens = { matches(token: string, now: Date): boolean }

export const createLocalTokens = (key: Buffer): LocalTokens => ({
  matches(token, now) {
    const [, time = '', nonce = '', proof = ''] = shape.exec(token) ?? []
    if (proof === '') return false
    const expected = Buffer.from(proofOf(key, `${time}_${nonce}`))
    if (!timingSafeEqual(Buffer.from(proof), expected)) return false
    return Math.abs(now.getTime() - Number.parseInt(time, 36)) <= validMs
  },
})
