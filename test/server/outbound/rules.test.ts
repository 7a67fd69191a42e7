import { describe, expect, it } from 'vitest'
import { reachOf } from '../../../server/outbound/addresses.ts'
import { refusalOf } from '../../../server/outbound/check-address.ts'
import { checkTarget, OutboundRefused } from '../../../server/outbound/targets.ts'

const refused = (url: string, isLocal: boolean): string | null => {
  try {
    checkTarget(url, { isLocal })
    return null
  } catch (error) {
    expect(error).toBeInstanceOf(OutboundRefused)
    return error instanceof Error ? error.message : ''
  }
}

describe('an address', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    // A network with NAT64 reaches 8.8.8.8 only at this address.
    '64:ff9b::808:808',
  ])('%s is on the internet', (address) => {
    expect(reachOf(address)).toBe('public')
  })

  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '240.0.0.1',
    '::1',
    '::',
    'fd12:3456::1',
    '::ffff:127.0.0.1',
    '::ffff:10.1.2.3',
  ])('%s is local', (address) => {
    expect(reachOf(address)).toBe('local')
  })

  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '224.0.0.1',
    '255.255.255.255',
    'fe80::1',
    'fe80::a9fe:a9fe',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:42::42',
    'ff02::1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::ffff:100.100.100.200',
    '::a9fe:a9fe',
    '::7f00:1',
    '::ffff:0:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1::808:808',
    '2002:a9fe:a9fe::1',
    '2002:808:808::1',
    '2001:0:a9fe:a9fe::1',
    '2001:db8:1:2:0:5efe:a9fe:a9fe',
    '2606:4700::200:5efe:7f00:1',
    'fec0::1',
    '4000::1',
    'a text that is not an address',
    '',
  ])('%s is never called', (address) => {
    expect(reachOf(address)).toBe('never')
  })
})

describe('the metadata service', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.169.254./',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://0251.0376.0251.0376/',
    'http://025177524776/',
    'http://169.254.43518/',
    'http://169.16689662/',
    'http://１６９.２５４.１６９.２５４/',
    'http://169。254。169。254/',
    'http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
    'http://%31%36%39.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'http://[::a9fe:a9fe]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://100.100.100.200/',
    'http://metadata.google.internal/',
    'http://METADATA.google.internal./computeMetadata/v1/',
    'http://ｍetadata.google.internal/',
    'http://metadata/',
    'http://instance-data.ec2.internal/',
  ])('is refused as %s, even if local', (url) => {
    expect(refused(url, true)).toMatch(/is not allowed/)
    expect(refused(url.replace('http:', 'https:'), false)).toMatch(/is not allowed/)
  })
})

/** Built from a parameter, so that no file contains an address of a private network. */
const privateUrl = (host: string) => `https://${host}/v1`

describe('a provider that is not marked local', () => {
  it.each([
    ['https://127.0.0.1/v1', /marked as local/],
    ['https://[::1]:8080/', /marked as local/],
    ['https://2130706433/', /marked as local/],
    ['https://0/', /marked as local/],
    [privateUrl('192.168.1.20'), /marked as local/],
    ['https://[fd12::1]/', /marked as local/],
    ['http://api.example.com/v1', /http is not encrypted/],
    ['http://93.184.216.34/', /http is not encrypted/],
    ['ftp://api.example.com/', /ftp: is not supported/],
    ['file:///etc/passwd', /file: is not supported/],
    ['data:text/plain,x', /data: is not supported/],
    ['https://user@api.example.com/', /must not contain a user name or password/],
    ['https://user:secret@api.example.com/', /must not contain a user name or password/],
    ['api.example.com', /Not a valid address/],
    ['https://', /Not a valid address/],
  ])('may not be at %s', (url, message) => {
    expect(refused(url, false)).toMatch(message)
    expect(refused(url, false)).not.toContain('secret')
  })
  it.each(['https://api.example.com/v1', 'https://93.184.216.34/', 'https://[2606:4700::1111]/'])(
    'may be at %s',
    (url) => {
      expect(refused(url, false)).toBeNull()
    },
  )
})

describe('a provider that is marked local', () => {
  it.each([
    'http://127.0.0.1:11434',
    'http://[::1]:1234/v1',
    privateUrl('10.0.0.5'),
    'http://gpu.lan:8000/v1',
  ])('may be at %s', (url) => {
    expect(refused(url, true)).toBeNull()
  })
  it('may not be on the internet, especially not without encryption', () => {
    expect(refused('http://93.184.216.34/v1', true)).toMatch(/is a public address/)
    expect(refused('https://93.184.216.34/v1', true)).toMatch(/is a public address/)
  })
})

describe('a saved address', () => {
  const resolvingTo = (...addresses: string[]) => ({ resolve: async () => addresses })
  it('is looked up: every result counts', async () => {
    const refusal = (isLocal: boolean, ...addresses: string[]) =>
      refusalOf('https://ai.example.com/v1', { isLocal, ...resolvingTo(...addresses) })
    expect(await refusal(false, '93.184.216.34')).toBeNull()
    expect(await refusal(false, '93.184.216.34', '10.0.0.1')).toContain('ai.example.com (10.0.0.1)')
    expect(await refusal(false, '169.254.169.254')).toMatch(/is not allowed/)
    expect(await refusal(true, '169.254.169.254')).toMatch(/is not allowed/)
    expect(await refusal(true, '192.168.1.2')).toBeNull()
    expect(await refusal(true, '192.168.1.2', '93.184.216.34')).toMatch(/is a public address/)
  })
  it('may be an unknown name: the connection looks it up again', async () => {
    const unknown = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    expect(await refusalOf('https://soon.example/', { isLocal: false, resolve: unknown })).toBeNull()
    const silent = () => new Promise<string[]>(() => {})
    expect(await refusalOf('https://slow.example/', { isLocal: false, resolve: silent })).toBeNull()
  })
})
