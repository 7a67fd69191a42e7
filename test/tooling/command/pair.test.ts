import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAuthority } from '../../../sdk/conformance/lib/certificates.mjs'
import { fingerprintWords } from '../../../server/lan/words.ts'
import { answerCommand, spawnCommand } from '../../support/command.ts'
import {
  deviceToken,
  type LanServer,
  type LanServerOptions,
  rightCode,
  startLanServer,
} from '../../support/lan/server.ts'

let config = ''
const servers: LanServer[] = []

const start = async (options?: LanServerOptions): Promise<LanServer> => {
  const server = await startLanServer(options)
  servers.push(server)
  return server
}
const stored = async () => JSON.parse(await readFile(join(config, 'servers.json'), 'utf8'))
const isStored = () =>
  readFile(join(config, 'servers.json')).then(
    () => true,
    () => false,
  )
const given = (server: LanServer) => [
  '--code',
  rightCode,
  '--fingerprint',
  server.fingerprint,
  '--name',
  'laptop',
]
/** Pairs in a script: everything is given, nobody is asked. */
const pairIn = (server: LanServer, ...more: readonly string[]) =>
  spawnCommand(['pair', server.address, ...given(server), ...more], { config })

beforeEach(async () => {
  config = await mkdtemp(join(tmpdir(), 'promptdeck-command-'))
})
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
  await rm(config, { recursive: true, force: true })
})

describe('refusals of promptdeck pair', () => {
  it('needs a fingerprint and a code where nobody can be asked, and sends nothing without', async () => {
    const server = await start()
    const noFingerprint = await spawnCommand(['pair', server.address, '--code', rightCode], { config })
    expect(noFingerprint).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--fingerprint') })
    const noCode = await spawnCommand(['pair', server.address, '--fingerprint', server.fingerprint], {
      config,
    })
    expect(noCode).toMatchObject({ code: 2, err: expect.stringContaining('--code') })
    expect(server.received).toEqual([])
  })

  it('stops at another fingerprint before anything is sent over TLS', async () => {
    const server = await start()
    const other = 'ab'.repeat(32)
    const ended = await spawnCommand(['pair', server.address, '--code', rightCode, '--fingerprint', other], {
      config,
    })
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('differs from the expected one') })
    expect(server.received).toEqual([])
    expect(await isStored()).toBe(false)
  })

  it('refuses a server whose certificate another CA issued', async () => {
    const announced = await createAuthority('Announced')
    const server = await start({ announced })
    const { X509Certificate } = await import('node:crypto')
    const { fingerprint256 } = new X509Certificate(announced.pem)
    const ended = await spawnCommand(
      ['pair', server.address, '--code', rightCode, '--fingerprint', fingerprint256],
      { config, env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
    )
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('is not trusted') })
    expect(server.received).toEqual([])
    expect(await isStored()).toBe(false)
  })

  it('refuses a certificate for another name, also with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    const server = await start({ certificate: { names: ['other.local'], addresses: ['192.0.2.1'] } })
    const ended = await spawnCommand(['pair', server.address, ...given(server)], {
      config,
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    })
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('for another name than 127.0.0.1') })
    expect(server.received).toEqual([])
  })

  it('refuses an expired certificate', async () => {
    const server = await start({ certificate: { validUntil: new Date(Date.now() - 86_400_000) } })
    const ended = await pairIn(server)
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('has expired') })
    expect(server.received).toEqual([])
  })

  it('refuses a reply that is no single CA certificate, and follows no redirect', async () => {
    const pems = `${(await createAuthority('A')).pem}\n${(await createAuthority('B')).pem}`
    for (const plainReply of [
      { status: 200, text: 'hello' },
      { status: 200, text: pems },
      { status: 200, text: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
      { status: 200, text: 'x'.repeat(70_000) },
      { status: 302, text: '' },
    ]) {
      const server = await start({ plainReply })
      const ended = await pairIn(server)
      expect(ended).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(/^Error: .*\nWhy: .*\nWhat to do: /),
      })
      expect(server.received).toEqual([])
    }
  })

  it('reports a wrong code, a refusal and an expired request, and stores nothing', async () => {
    const server = await start()
    const wrong = await spawnCommand(
      ['pair', server.address, '--code', 'AAAA-BBBB', '--fingerprint', server.fingerprint],
      { config },
    )
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('wrong, expired or used') })
    server.answer('refused')
    expect(await pairIn(server)).toMatchObject({
      code: 1,
      err: expect.stringContaining('refused the request'),
    })
    server.answer('expired')
    expect(await pairIn(server)).toMatchObject({ code: 1, err: expect.stringContaining('in time') })
    expect(await isStored()).toBe(false)
  })

  it('does not replace the entry of another server', async () => {
    const first = await start()
    first.answer('approved')
    expect(await pairIn(first)).toMatchObject({ code: 0 })
    const before = await stored()
    const second = await start()
    second.answer('approved')
    const sameName = await pairIn(second)
    expect(sameName).toMatchObject({ code: 1, err: expect.stringContaining('servers remove studio') })
    const port = Number(first.address.split(':')[1])
    await first.close()
    const impostor = await start({ port })
    impostor.answer('approved')
    const sameAddress = await pairIn(impostor, '--as', 'another')
    expect(sameAddress).toMatchObject({ code: 1, err: expect.stringContaining('would be replaced') })
    expect(impostor.received).toEqual([])
    expect(await stored()).toEqual(before)
  })

  it('keeps a damaged file of stored servers', async () => {
    const server = await start()
    server.answer('approved')
    await writeFile(join(config, 'servers.json'), '{"servers":[')
    expect(await pairIn(server)).toMatchObject({ code: 1, err: expect.stringContaining('is damaged') })
    expect(await readFile(join(config, 'servers.json'), 'utf8')).toBe('{"servers":[')
    expect(server.received).toEqual([])
  })

  it('rejects addresses and fingerprints that are none', async () => {
    for (const args of [
      ['pair'],
      ['pair', 'http://127.0.0.1:4743'],
      ['pair', 'https://user:secret@127.0.0.1:4743', '--fingerprint', 'ab'.repeat(32), '--code', 'x'],
      ['pair', '127.0.0.1', '--fingerprint', 'abc', '--code', 'x'],
      ['pair', '127.0.0.1', '--kind', 'browser'],
      ['pair', 'promptdeck://pair?secret=x'],
      ['pair', '127.0.0.1', '--as', 'local', '--fingerprint', 'ab'.repeat(32), '--code', 'x'],
    ])
      expect(await spawnCommand(args, { config }), args.join(' ')).toMatchObject({ code: 2, out: '' })
  })
})

describe('promptdeck pair', () => {
  it('pairs in a script, waits for approval, and stores the server for this user only', async () => {
    const server = await start()
    const running = pairIn(server, '--json')
    await server.requested
    server.answer('approved')
    const ended = await running
    expect(ended).toMatchObject({
      code: 0,
      err: expect.stringContaining('Waiting for an admin to approve "laptop"'),
    })
    expect(ended.err).toContain((await fingerprintWords(server.fingerprint)).join(' '))
    expect(JSON.parse(ended.out)).toMatchObject({
      name: 'studio',
      address: server.origin,
      fingerprint: server.fingerprint,
    })
    expect(ended.out + ended.err).not.toContain(deviceToken)
    const file = join(config, 'servers.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await stored()).toMatchObject({
      current: null,
      servers: [
        {
          name: 'studio',
          address: server.origin,
          token: deviceToken,
          fingerprint: server.fingerprint,
          kind: 'cli',
          ca: expect.stringContaining('BEGIN CERTIFICATE'),
        },
      ],
    })
    expect(server.received[0]).toMatchObject({
      path: '/api/pair',
      body: { code: rightCode, name: 'laptop', kind: 'cli' },
    })
  })

  it('takes secret and fingerprint from the link of the admin’s page', async () => {
    const server = await start()
    server.answer('approved')
    const fp = server.fingerprint.replaceAll(':', '').toLowerCase()
    const link = `${server.origin}/pair#secret=one-time-secret&fp=${fp}`
    const ended = await spawnCommand(['pair', link, '--kind', 'sdk', '--name', 'Billing'], { config })
    expect(ended).toMatchObject({ code: 0 })
    expect(server.received[0]).toMatchObject({
      body: { secret: 'one-time-secret', name: 'Billing', kind: 'sdk' },
    })
    const deep = `promptdeck://pair?address=${server.address}&secret=one-time-secret&fp=${fp}`
    expect(await spawnCommand(['pair', deep], { config })).toMatchObject({ code: 0 })
    expect((await stored()).servers).toHaveLength(1)
  })

  it('asks a person to compare, then for the code', async () => {
    const server = await start()
    server.answer('approved')
    const ended = await answerCommand(['pair', server.address], { config }, ['yes', rightCode])
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('Paired with studio') })
    expect(ended.questions).toEqual([expect.stringContaining('(yes/no)'), expect.stringContaining('Code')])
    expect(ended.err).toContain(`Fingerprint  ${server.fingerprint}`)
    expect(ended.err).toContain(`Words        ${(await fingerprintWords(server.fingerprint)).join(' ')}`)
    expect(ended.err).toContain('CA           Promptdeck studio')
  })

  it('sends nothing if the person does not confirm', async () => {
    const server = await start()
    for (const answer of ['no', '', 'yes please']) {
      const ended = await answerCommand(['pair', server.address], { config }, [answer])
      expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('cancelled') })
    }
    expect(server.received).toEqual([])
    expect(await isStored()).toBe(false)
  })

  it('shows no control characters of another machine', async () => {
    const server = await start({ announced: await createAuthority('Evil \u001b[2Jname') })
    const ended = await answerCommand(['pair', server.address], { config }, ['no'])
    expect(ended.err).not.toContain('\u001b')
  })
})

describe('commands with a stored server', () => {
  const paired = async (name: string): Promise<LanServer> => {
    const server = await start({ name })
    server.answer('approved')
    expect(await pairIn(server)).toMatchObject({ code: 0 })
    return server
  }

  it('use its address, its CA and its token', async () => {
    const server = await paired('studio')
    const ended = await spawnCommand(['status', '--json'], { config })
    expect(ended).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(ended.out)).toMatchObject({
      address: server.origin,
      via: 'stored',
      server: 'studio',
      version: '0.1.0',
      user: { name: 'laptop', role: 'admin' },
    })
  })

  it('refuse it when another CA answers at its address', async () => {
    const server = await paired('studio')
    const port = Number(server.address.split(':')[1])
    await server.close()
    const impostor = await start({ port })
    const ended = await spawnCommand(['status'], { config, env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })
    expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining('is not trusted') })
    expect(impostor.received).toEqual([])
  })

  it('turn sharing on and off, and list and revoke devices', async () => {
    const server = await paired('studio')
    const on = await spawnCommand(
      ['lan', 'on', '--interface', 'eth0', '--port', '4743', '--name', 'studio', '--discovery', 'on'],
      { config },
    )
    expect(on).toMatchObject({ code: 0, out: expect.stringContaining('Sharing      on (listening)') })
    expect(on.out).toContain('https://studio.local:4743')
    expect(server.received.at(-1)).toMatchObject({
      method: 'PUT',
      path: '/api/network',
      body: { enabled: true, interfaces: ['eth0'], port: 4743, name: 'studio', discoverable: true },
    })
    const status = await spawnCommand(['lan', 'status', '--json'], { config })
    expect(JSON.parse(status.out)).toMatchObject({
      enabled: true,
      words: ['ladder', 'orbit', 'velvet', 'cactus'],
    })
    expect(await spawnCommand(['lan', 'off'], { config })).toMatchObject({
      code: 0,
      out: expect.stringContaining('off'),
    })
    const list = await spawnCommand(['devices', 'list'], { config })
    expect(list).toMatchObject({ code: 0, out: expect.stringContaining('edda') })
    expect(list.out).not.toContain('\u001b')
    const id = '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21'
    expect(await spawnCommand(['devices', 'revoke', id], { config })).toMatchObject({ code: 0 })
    const missing = await spawnCommand(['devices', 'revoke', 'x'], { config })
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('no such device') })
  })

  it('need a choice between several, and remember it', async () => {
    await paired('studio')
    const second = await paired('office')
    const open = await spawnCommand(['status'], { config })
    expect(open).toMatchObject({ code: 1, err: expect.stringContaining('--server (studio, office)') })
    const named = await spawnCommand(['status', '--server', 'OFFICE'], { config })
    expect(named).toMatchObject({ code: 0, out: expect.stringContaining(second.origin) })
    expect(await spawnCommand(['servers', 'use', 'office'], { config })).toMatchObject({ code: 0 })
    expect(await spawnCommand(['status'], { config })).toMatchObject({
      out: expect.stringContaining('office'),
    })
    const list = await spawnCommand(['servers', 'list', '--json'], { config })
    expect(JSON.parse(list.out)).toMatchObject([
      { name: 'studio', current: false },
      { name: 'office', current: true },
    ])
    expect(list.out).not.toContain(deviceToken)
    expect(await spawnCommand(['servers', 'remove', 'office'], { config })).toMatchObject({ code: 0 })
    expect(await stored()).toMatchObject({ current: null, servers: [{ name: 'studio' }] })
    const unknown = await spawnCommand(['servers', 'use', 'office'], { config })
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('The stored servers are: studio') })
    expect(await spawnCommand(['servers', 'use', 'local'], { config })).toMatchObject({ code: 0 })
  })

  it('send no token of the environment to it unasked', async () => {
    const server = await paired('studio')
    const before = server.received.length
    const ended = await spawnCommand(['status'], {
      config,
      env: { PROMPTDECK_TOKEN: 'token-of-this-machine' },
    })
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('No service was found') })
    expect(server.received).toHaveLength(before)
  })

  it('report an unwritable folder', async () => {
    const server = await start()
    server.answer('approved')
    const file = join(config, 'file')
    await writeFile(file, '')
    const ended = await spawnCommand(['pair', server.address, ...given(server)], {
      config,
      env: { PROMPTDECK_CONFIG_DIR: join(file, 'folder') },
    })
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('PROMPTDECK_CONFIG_DIR') })
    expect(server.received).toEqual([])
  })
})
