import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { earlierAddressOf } from '../../../server/db/engines/sqljs/lock/earlier-address.ts'
import { type Exit, runService, runTool, type ServiceProcess, spawnService } from '../../support/process.ts'
import { serviceToken } from '../../support/service.ts'

const folders: string[] = []
const services: ServiceProcess[] = []
const listeners: Server[] = []

afterEach(async () => {
  for (const service of services.splice(0)) {
    service.child.kill('SIGCONT')
    await service.kill()
  }
  for (const listener of listeners.splice(0)) await new Promise((resolve) => listener.close(resolve))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ownership-'))
  folders.push(folder)
  return folder
}

async function serve(...start: Parameters<typeof spawnService>): Promise<ServiceProcess> {
  const service = await spawnService(...start)
  services.push(service)
  return service
}

const request = (url: string, path: string, init: RequestInit = {}) =>
  fetch(url + path, {
    ...init,
    headers: { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' },
  })

let count = 0
/** Creates a workspace, which the service acknowledges; returns its slug. */
async function write(url: string): Promise<string> {
  count += 1
  const slug = `kept-${count}`
  const reply = await request(url, '/api/workspaces', {
    method: 'POST',
    body: JSON.stringify({ name: slug, slug }),
  })
  expect(reply.status).toBe(201)
  return slug
}

async function slugs(url: string): Promise<string[]> {
  const reply = await request(url, '/api/workspaces?limit=200')
  const { data } = (await reply.json()) as { data: { slug: string }[] }
  return data.map(({ slug }) => slug)
}

const socketsOf = (dataDir: string): string[] => {
  const run = join(dataDir, 'store/run')
  return readdirSync(run)
    .filter((name) => name.endsWith('.sock'))
    .map((name) => join(run, name))
}

/** Starts a listener at `address` that replies to every connection with `line`. */
async function listenAt(address: string, line: string): Promise<void> {
  const listener = createServer((socket) => {
    socket.on('error', () => {}).resume()
    socket.end(line)
  })
  listeners.push(listener)
  await new Promise<void>((resolve) => listener.listen(address, resolve))
}

function expectRefusal({ code, stdout, stderr }: Exit, ...parts: string[]): void {
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr.trim().split('\n')).toHaveLength(1)
  for (const part of parts) expect(stderr).toContain(part)
}

describe('a running service keeps its folder', () => {
  it('when a service, restore, audit:verify or seed starts with another TMPDIR and without its socket', async () => {
    const dataDir = newFolder()
    const first = await serve({ DATA_DIR: dataDir, TMPDIR: newFolder() })
    const acknowledged = [await write(first.url)]
    expectRefusal(await runService({ DATA_DIR: dataDir, TMPDIR: newFolder() }), first.url)
    acknowledged.push(await write(first.url))
    for (const socket of socketsOf(dataDir)) rmSync(socket)
    expectRefusal(await runService({ DATA_DIR: dataDir, TMPDIR: newFolder() }), first.url)
    acknowledged.push(await write(first.url))
    const reply = await request(first.url, '/api/backups', { method: 'POST' })
    expect(reply.status).toBe(201)
    const [file = ''] = readdirSync(join(dataDir, 'backups')).filter((name) => name.endsWith('.sqlite'))
    expect(file).not.toBe('')
    const backup = join(dataDir, 'backups', file)
    for (const [name, args] of [
      ['restore', [backup]],
      ['audit-verify', ['--data', dataDir]],
      ['seed', ['--runs', '5', '--data', dataDir]],
    ] as const) {
      for (const socket of socketsOf(dataDir)) rmSync(socket)
      const exit = await runTool(name, args, { DATA_DIR: dataDir, TMPDIR: newFolder() })
      expectRefusal({ ...exit, code: exit.status }, first.url)
    }
    expect(readdirSync(join(dataDir, 'store')).filter((name) => name.startsWith('replaced-'))).toEqual([])
    acknowledged.push(await write(first.url))
    expect(await first.stop()).toBe(0)
    services.length = 0
    const second = await serve({ DATA_DIR: dataDir })
    expect(await slugs(second.url)).toEqual(expect.arrayContaining(acknowledged))
  }, 120_000)
})

describe('a service whose folder was taken over', () => {
  it('stops with one message, acknowledges nothing more, and its acknowledged writes are kept', async () => {
    const dataDir = newFolder()
    const first = await serve({ DATA_DIR: dataDir })
    const acknowledged = [await write(first.url), await write(first.url)]
    first.child.kill('SIGSTOP')
    // A forced takeover: the lock is removed while its process hangs.
    rmSync(join(dataDir, 'store/run'), { recursive: true })
    const second = await serve({ DATA_DIR: dataDir })
    expect(await slugs(second.url)).toEqual(expect.arrayContaining(acknowledged))
    acknowledged.push(await write(second.url))
    const exited = once(first.child, 'exit')
    const late = request(first.url, '/api/workspaces', {
      method: 'POST',
      body: JSON.stringify({ name: 'late', slug: 'late' }),
    }).then(
      ({ status }) => status,
      () => 'gone' as const,
    )
    first.child.kill('SIGCONT')
    expect(await late).not.toBe(201)
    expect(await exited).toEqual([1, null])
    const lines = first.stderr().trim().split('\n')
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([
      `Stopped: Another process has taken over the data folder ${realpathSync(join(dataDir, 'store'))}, or the lock in it was removed. This process stops. All acknowledged writes are stored.`,
    ])
    acknowledged.push(await write(second.url))
    expect(await second.stop()).toBe(0)
    services.length = 0
    const third = await serve({ DATA_DIR: dataDir })
    const found = await slugs(third.url)
    expect(found).toEqual(expect.arrayContaining(acknowledged))
    expect(found).not.toContain('late')
  }, 90_000)
})

describe('a foreign listener at the address of version 0.1', () => {
  const foreign = `${JSON.stringify({ pid: 4242, url: 'http://127.0.0.1:9' })}\n`
  const makers: Record<string, (address: string) => void | Promise<void>> = {
    'a folder': (address) => mkdirSync(address),
    'a socket that answers with a foreign URL': (address) => listenAt(address, foreign),
  }
  for (const [what, make] of Object.entries(makers)) {
    it(`${what} neither prevents the start nor is used`, async () => {
      const dataDir = newFolder()
      const store = join(dataDir, 'store')
      mkdirSync(store, { mode: 0o700 })
      const address = earlierAddressOf(realpathSync(store))
      await make(address)
      try {
        const service = await serve({ DATA_DIR: dataDir })
        const acknowledged = await write(service.url)
        expectRefusal(await runService({ DATA_DIR: dataDir }), service.url)
        expect(await slugs(service.url)).toContain(acknowledged)
      } finally {
        rmSync(address, { recursive: true, force: true })
      }
    }, 60_000)
  }
})
