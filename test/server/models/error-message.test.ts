import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ModelError } from '../../../server/models/model.ts'
import { messageInBody, readableMessage } from '../../../server/models/protocol/error-message.ts'
import { failureOf, frameFailure, refusal } from '../../../server/models/protocol/failure.ts'

const key = 'sk-proj-4f9aK2mQ7xT1bV8nR5cW3yH6'
const state = { signal: new AbortController().signal, secrets: [key] }

describe("the provider's message", () => {
  it.each([
    ['is unchanged', 'The model `gpt-9` does not exist', 'The model `gpt-9` does not exist'],
    ['without the key', `Incorrect API key provided: ${key}.`, 'Incorrect API key provided: [key].'],
    ['without its beginning', `Key ${key.slice(0, 12)}… is wrong`, 'Key [key]… is wrong'],
    ['without a partly masked key', 'Key sk-proj-****************3yH6 is wrong', 'Key [key] is wrong'],
    ['without keys of other providers', 'Use AIzaSyA1234567890abcdefghijklmnop instead', 'Use [key] instead'],
    ['without a header', 'Got Authorization: Bearer abcdef.ghijk', 'Got Authorization: [key]'],
    ['keeps model names', 'claude-haiku-4-5-20251001 is gone', 'claude-haiku-4-5-20251001 is gone'],
    ['on one line', 'one\r\n\ttwo  three', 'one two three'],
    ['without invisible characters', 'a\u202eb\u0007c', 'a\\u{202E}b\\u{7}c'],
  ])('%s', (_, text, expected) => {
    expect(readableMessage(text, [key])).toBe(expected)
  })

  it('has 500 characters at most', () => {
    expect(readableMessage('word '.repeat(1000), [])).toHaveLength(500)
  })

  it('never contains the key in any place', () => {
    const anySecret = fc.stringMatching(/^[!-~]{8,64}$/)
    fc.assert(
      fc.property(anySecret, fc.string(), fc.string(), (secret, before, after) => {
        expect(readableMessage(`${before}${secret}${after}`, [secret])).not.toContain(secret)
      }),
    )
  })

  const percent = (text: string, times = 1): string => {
    let encoded = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
    for (let time = 1; time < times; time += 1) encoded = encoded.replaceAll('%', '%25')
    return encoded
  }
  const backwards = (text: string): string => [...text].reverse().join('')
  it.each([
    ['percent-encoded', encodeURIComponent],
    ['every byte percent-encoded', percent],
    ['percent-encoded in upper case', (text: string) => percent(text).toUpperCase()],
    ['percent-encoded twice', (text: string) => percent(text, 2)],
    ['percent-encoded three times', (text: string) => percent(text, 3)],
    ['half of it percent-encoded', (text: string) => text.slice(0, 9) + percent(text.slice(9))],
    ['backwards', backwards],
    ['reversed and percent-encoded', (text: string) => encodeURIComponent(backwards(text))],
    ['reversed, every byte percent-encoded', (text: string) => percent(backwards(text))],
    ['in upper case', (text: string) => text.toUpperCase()],
    ['its end reversed', (text: string) => backwards(text).slice(0, 12)],
  ])('has no key %s', (_, encode) => {
    for (const secret of ['p@ss/wörd+k€y=42?&x', 'ab:cd/ef gh%20ij', 'a.b*c(d)[e]{f}^$|\\-g/h+i'])
      expect(readableMessage(`Wrong: ${encode(secret.padEnd(24, '~'))} !`, [secret.padEnd(24, '~')])).toBe(
        'Wrong: [key] !',
      )
  })

  it("is extracted in linear time, regardless of the provider's reply", () => {
    for (const text of ['a', '1', '**a', 'sk-', 'bearer ', '%25'])
      expect(readableMessage(text.repeat(100_000), [key]).length).toBeLessThanOrEqual(500)
  })

  it.each([
    ['{"error":{"message":"a","type":"b"}}', 'a'],
    ['{"error":"a"}', 'a'],
    ['{"message":"a"}', 'a'],
    ['{"detail":[{"loc":["x"],"msg":"a"}]}', 'a'],
    ['[{"error":{"code":400,"message":"a"}}]', 'a'],
    ['{"error":{}}', null],
    ['{"error":{"message":""}}', null],
    ['{"secret":"a"}', null],
    ['<html>a</html>', null],
    ['', null],
    ['null', null],
    ['7', null],
  ])('is found in %s', (body, expected) => {
    expect(messageInBody(body)).toBe(expected)
  })
})

describe('the cause of a failure', () => {
  it.each([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'bad_request'],
    [408, 'provider_error'],
    [413, 'bad_request'],
    [422, 'bad_request'],
    [429, 'rate_limited'],
    [500, 'provider_error'],
    [529, 'provider_error'],
    [302, 'malformed'],
  ])('status %d → %s', (status, type) => {
    expect(refusal(status, null, {}, state)).toMatchObject({ type, status })
  })

  it.each([
    [{ message: 'a', type: 'overloaded_error' }, 'provider_error', null],
    [{ message: 'a', type: 'rate_limit_error' }, 'rate_limited', null],
    [{ message: 'a', code: 'insufficient_quota' }, 'rate_limited', null],
    [{ message: 'a', type: 'authentication_error' }, 'unauthorized', null],
    [{ message: 'a', type: 'invalid_request_error' }, 'bad_request', null],
    [{ message: 'a', code: 503, type: 'UNAVAILABLE' }, 'provider_error', 503],
    [{ message: 'a', code: '429' }, 'rate_limited', 429],
    [{ error: 'a' }, 'provider_error', null],
  ])('in a stream, %o → %s', (frame, type, status) => {
    expect(frameFailure(frame, state)).toMatchObject({ type, status, message: 'a' })
  })

  it('is described if there is no explanation', () => {
    expect(frameFailure(null, state).message).toBe('It ended with an error without a message')
  })

  it.each([
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', /^No connection: connect ECONNREFUSED/],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND api.example', /^No connection: getaddrinfo ENOTFOUND api\.example$/],
    ['ECONNRESET', 'read ECONNRESET', /^The connection was lost$/],
    ['UND_ERR_HEADERS_TIMEOUT', 'Headers Timeout Error', /^No connection: Headers Timeout Error$/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate', /^No connection: self-signed certificate$/],
    ['ERR_INVALID_URL', 'Invalid URL', /^No connection: Invalid URL$/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify', /^No connection: unable to verify$/],
  ])('%s → unreachable', (code, message, expected) => {
    const cause = Object.assign(new Error(message), { code })
    const failure = failureOf(new TypeError('fetch failed', { cause }), state)
    expect(failure).toMatchObject({ type: 'unreachable', message: expect.stringMatching(expected) })
    expect(failure.cause).toBeUndefined()
  })

  it('contains the message of a guard at any depth of causes', () => {
    const guard = new ModelError('host_refused', 'No')
    expect(failureOf(new TypeError('fetch failed', { cause: new Error('x', { cause: guard }) }), state)).toBe(
      guard,
    )
  })

  it('does not contain the key in unexpected errors', () => {
    const failure = failureOf(new TypeError(`Headers.append: "Bearer ${key}" is invalid`), state)
    expect(failure.type).toBe('provider_error')
    expect(failure.message).not.toContain(key)
  })

  it('is finite for cyclic causes', () => {
    const error = new Error('round')
    error.cause = error
    expect(failureOf(error, state).message).toBe('Error: round')
  })
})
