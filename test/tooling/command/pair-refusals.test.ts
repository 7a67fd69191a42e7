import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../../sdk/conformance/lib/certificates.mjs'
import { answerCommand, spawnCommand } from '../../support/command.ts'
import { rightCode } from '../../support/lan/server.ts'
import { config, given, isStored, pairIn, setUpFolder, start, stored } from './pair-support.ts'

setUpFolder()

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
      { status: 101, text: '' },
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
      expect(await answerCommand(args, { config }), args.join(' ')).toMatchObject({ code: 2, out: '' })
  })
})
