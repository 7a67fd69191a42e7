import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerCommand, spawnCommand } from '../../support/command.ts'
import { deviceToken, type LanServer } from '../../support/lan/server.ts'
import { config, given, pairIn, setUpFolder, start, stored } from './pair-support.ts'

setUpFolder()

/** Runs a command in this process: the path from a process to a stored server is the same for all commands. */
const runHere = (...args: readonly string[]) => answerCommand(args, { config })

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
    const status = await runHere('lan', 'status', '--json')
    expect(JSON.parse(status.out)).toMatchObject({
      enabled: true,
      words: ['ladder', 'orbit', 'velvet', 'cactus'],
    })
    expect(await runHere('lan', 'off')).toMatchObject({
      code: 0,
      out: expect.stringContaining('off'),
    })
    const list = await runHere('devices', 'list')
    expect(list).toMatchObject({ code: 0, out: expect.stringContaining('edda') })
    expect(list.out).not.toContain('\u001b')
    const id = '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21'
    expect(await runHere('devices', 'revoke', id)).toMatchObject({ code: 0 })
    const missing = await runHere('devices', 'revoke', 'x')
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('no such device') })
  })

  it('need a choice between several, which is stored', async () => {
    await paired('studio')
    const second = await paired('office')
    const open = await spawnCommand(['status'], { config })
    expect(open).toMatchObject({ code: 1, err: expect.stringContaining('--server (studio, office)') })
    const named = await spawnCommand(['status', '--server', 'OFFICE'], { config })
    expect(named).toMatchObject({ code: 0, out: expect.stringContaining(second.origin) })
    expect(await runHere('servers', 'use', 'office')).toMatchObject({ code: 0 })
    expect(await spawnCommand(['status'], { config })).toMatchObject({
      out: expect.stringContaining('office'),
    })
    const list = await runHere('servers', 'list', '--json')
    expect(JSON.parse(list.out)).toMatchObject([
      { name: 'studio', current: false },
      { name: 'office', current: true },
    ])
    expect(list.out).not.toContain(deviceToken)
    expect(await runHere('servers', 'remove', 'office')).toMatchObject({ code: 0 })
    expect(await stored()).toMatchObject({ current: null, servers: [{ name: 'studio' }] })
    const unknown = await runHere('servers', 'use', 'office')
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('The stored servers are: studio') })
    expect(await runHere('servers', 'use', 'local')).toMatchObject({ code: 0 })
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
