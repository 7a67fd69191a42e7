import { describe, expect, it } from 'vitest'
import { checkBinding } from '../../../server/auth/binding.ts'

const long = 'x'.repeat(32)
const none = { password: false, token: false }

describe('the address to listen on', () => {
  it.each([
    ['loopback with all defaults', '127.0.0.1', null, false, { password: true, token: true }],
    ['another loopback address', '127.8.9.1', null, false, { password: true, token: true }],
    ['IPv6 loopback', '::1', 'short', false, none],
    ['localhost', 'LocalHost', null, false, { password: true, token: true }],
    ['all addresses, without defaults and with plain HTTP allowed', '0.0.0.0', long, true, none],
    ['a LAN address with a stored token', '192.168.1.5', null, true, none],
  ])('is accepted: %s', (_, host, serviceToken, allowInsecureLan, defaults) => {
    expect(() => checkBinding({ host, serviceToken, allowInsecureLan }, defaults)).not.toThrow()
  })

  it.each([
    ['the default password', '0.0.0.0', long, true, { password: true, token: false }, /admin password/],
    ['the default token', '::', null, true, { password: false, token: true }, /SERVICE_TOKEN to 32/],
    ['a short token', '192.168.1.5', 'x'.repeat(31), true, none, /shorter than 32/],
    ['plain HTTP', '192.168.1.5', long, false, none, /ALLOW_INSECURE_LAN=1/],
    ['a name that is not loopback', 'deck.example', long, false, none, /HOST=deck.example is refused/],
  ])('is refused for %s', (_, host, serviceToken, allowInsecureLan, defaults, message) => {
    expect(() => checkBinding({ host, serviceToken, allowInsecureLan }, defaults)).toThrow(message)
  })

  it('lists every reason at once', () => {
    const refuse = () =>
      checkBinding(
        { host: '0.0.0.0', serviceToken: 'short', allowInsecureLan: false },
        { password: true, token: false },
      )
    expect(refuse).toThrow(/admin password.*shorter than 32.*ALLOW_INSECURE_LAN/s)
  })
})
