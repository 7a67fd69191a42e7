import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  isLoopbackPeer,
  normalizeAddress,
  remoteAddress,
  trustedProxies,
} from '../../../server/lib/remote-address.ts'

describe('an address', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.0.0.9', '10.0.0.9'],
    ['::FFFF:0A00:0009', '10.0.0.9'],
    ['0:0:0:0:0:ffff:a00:9', '10.0.0.9'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['192.0.2.1:5555', '192.0.2.1'],
    [' 192.0.2.1 ', '192.0.2.1'],
  ])('%s is %s', (address, expected) => expect(normalizeAddress(address)).toBe(expected))
})

describe('the remote address', () => {
  const remote = (socketAddress: string | undefined, forwardedFor: string | undefined, trusted: string[]) => {
    const socket = new Socket()
    Object.defineProperty(socket, 'remoteAddress', { value: socketAddress })
    const req = new IncomingMessage(socket)
    if (forwardedFor !== undefined) req.headers['x-forwarded-for'] = forwardedFor
    return remoteAddress(req, trustedProxies(trusted))
  }

  it.each([
    ['that of the socket if no proxy is trusted', '10.0.0.1', '1.1.1.1', [], '10.0.0.1'],
    ['that of the socket if its peer is not trusted', '10.0.0.1', '1.1.1.1', ['10.0.0.2'], '10.0.0.1'],
    ['the one forwarded by a trusted peer', '10.0.0.1', '1.1.1.1', ['10.0.0.0/8'], '1.1.1.1'],
    ['the right-most untrusted one', '10.0.0.1', '6.6.6.6, 1.1.1.1, 10.0.0.7', ['10.0.0.0/8'], '1.1.1.1'],
    ['the left-most one if all are trusted', '10.0.0.1', '10.0.0.9, 10.0.0.8', ['10.0.0.0/8'], '10.0.0.9'],
    ['that of the socket if the header is invalid', '10.0.0.1', 'unknown', ['10.0.0.1'], '10.0.0.1'],
    [
      'the last valid one before an invalid one',
      '10.0.0.1',
      '1.1.1.1, evil, 10.0.0.2',
      ['10.0.0.0/8'],
      '10.0.0.2',
    ],
    ['that of the socket without a header', '10.0.0.1', undefined, ['10.0.0.1'], '10.0.0.1'],
    // Node joins several headers with commas.
    ['read from several headers', '10.0.0.1', '6.6.6.6, 1.1.1.1', ['10.0.0.1'], '1.1.1.1'],
    ['read without the port of a hop', '10.0.0.1', '1.1.1.1:80, 10.0.0.7:81', ['10.0.0.0/8'], '1.1.1.1'],
    [
      'that of the socket if a hop is not a dotted address',
      '10.0.0.1',
      '167772161',
      ['10.0.0.0/8'],
      '10.0.0.1',
    ],
    ['the left-most one if every address is trusted', '10.0.0.1', '1.1.1.1', ['0.0.0.0/0'], '1.1.1.1'],
    [
      'the left-most one with a trusted range of all IPv6 addresses',
      'fd00::1',
      '2001:db8::5',
      ['::/0'],
      '2001:db8::5',
    ],
    [
      'the forwarded one with a mapped peer and an IPv4 range',
      '::ffff:10.0.0.1',
      '1.1.1.1',
      ['10.0.0.0/8'],
      '1.1.1.1',
    ],
    ['the forwarded one with a mapped range', '10.0.0.1', '1.1.1.1', ['::ffff:10.0.0.0/104'], '1.1.1.1'],
    ['the forwarded one over IPv6', 'fd00::1', '2001:db8::5', ['fd00::/8'], '2001:db8::5'],
    ['empty after the socket was destroyed', undefined, '1.1.1.1', ['10.0.0.1'], ''],
  ])('is %s', (_, socket, forwarded, trusted, expected) =>
    expect(remote(socket, forwarded, trusted)).toBe(expected),
  )

  it('is never determined with an invalid trusted range', () => {
    expect(() => trustedProxies(['10.0.0.0/8/8'])).toThrow(/Not an address/)
    expect(() => trustedProxies(['proxy.local'])).toThrow(/Not an address/)
    expect(() => trustedProxies(['10.0.0.0/x'])).toThrow(/Not an address/)
    expect(() => trustedProxies(['10.0.0.0/255.0.0.0'])).toThrow(/Not an address/)
    expect(() => trustedProxies(['10.0.0.0/33'])).toThrow(/Not an address/)
    expect(() => trustedProxies(['loopback'])).toThrow(/Not an address/)
  })
})

describe('a loopback peer', () => {
  it.each([
    ['127.0.0.1', {}, true],
    ['127.8.8.8', {}, true],
    ['::1', {}, true],
    ['::ffff:127.0.0.1', {}, true],
    ['192.168.0.4', {}, false],
    ['::ffff:192.168.0.4', {}, false],
    [undefined, {}, false],
    ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, false],
    ['127.0.0.1', { forwarded: 'for=127.0.0.1' }, false],
    ['127.0.0.1', { 'x-real-ip': '127.0.0.1' }, false],
  ])('%s with %o: %s', (address, headers, expected) =>
    expect(isLoopbackPeer(address, headers)).toBe(expected),
  )
})
