import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { createSmallDisk, usualSegments } from '../../support/small-disk.mjs'

const MIB = 1024 * 1024
const DISK_BYTES = 48 * MIB

type Disk = {
  readonly folder: string
  /** Uses up all remaining bytes. */
  fill(): void
  free(): void
  remove(): void
}

const simulatedDisk = async (): Promise<Disk> => {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-disk-'))
  const { cells } = await createSmallDisk(folder, DISK_BYTES)
  let usedBytes = 0
  return {
    folder,
    fill() {
      usedBytes += Atomics.exchange(cells, 0, 0)
    },
    free() {
      Atomics.add(cells, 0, usedBytes)
      usedBytes = 0
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** A separate file system; only root may mount one. */
const mountedDisk = async (): Promise<Disk> => {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-mount-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder], { stdio: 'ignore' })
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const handle = openSync(filler, 'a')
      try {
        for (const chunk of [Buffer.alloc(MIB), Buffer.alloc(4096), Buffer.alloc(1)]) {
          for (;;) writeSync(handle, chunk)
        }
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' })
      } finally {
        closeSync(handle)
      }
    },
    free: () => rmSync(filler),
    remove() {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    },
  }
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    // Not root, or a sandbox that forbids mounts: the simulated disk is equivalent.
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const disks: [string, () => Promise<Disk>][] = [['a simulated small disk', simulatedDisk]]
if (canMount()) disks.push(['a small file system', mountedDisk])

/** A service on a disk that became full while the service was stopped. */
type FullDisk = {
  readonly disk: Disk
  readonly dataDir: string
  readonly server: TestServer
  health(): Promise<Awaited<ReturnType<TestServer['call']>>['body']>
  /** Returns the names of the files of backups. */
  backups(): string[]
  newWorkspace(name: string): ReturnType<TestServer['call']>
}

async function startOnFullDisk(disk: Disk): Promise<FullDisk> {
  const dataDir = join(disk.folder, 'data')
  const server = await startTestServer({ dataDir, substitutes: { store: { tuning: usualSegments } } })
  const newWorkspace = (name: string) => server.call('POST /api/workspaces', { body: { name } })
  await server.signedIn('admin', 'edda')
  expect((await newWorkspace('Before')).status).toBe(201)
  const doomed = { key: 'doomed', content: 'Hello' }
  expect((await server.call('POST /api/prompts', { body: doomed })).status).toBe(201)
  expect((await server.call('POST /api/backups')).status).toBe(201)
  await vi.waitFor(() => expect(existsSync(join(dataDir, 'disk-reserve.bin'))).toBe(true))
  await server.stop()
  disk.fill()
  await server.restart()
  return {
    disk,
    dataDir,
    server,
    newWorkspace,
    health: async () => (await server.call('GET /health', { token: null })).body,
    backups: () => (existsSync(join(dataDir, 'backups')) ? readdirSync(join(dataDir, 'backups')) : []),
  }
}

describe.each(disks)('%s', (_, makeDisk) => {
  let started: FullDisk | undefined
  const use = (): FullDisk => {
    if (started === undefined) throw new Error('the service did not start')
    return started
  }
  beforeAll(async () => {
    started = await startOnFullDisk(await makeDisk())
  })
  afterAll(async () => {
    await use().server.close()
    use().disk.remove()
  })
  testReadsAndRefusals(use)
  testDeletionAndRecovery(use)
})

function testReadsAndRefusals(use: () => FullDisk): void {
  it('starts on a full disk, reports it, and serves reads', async () => {
    expect(await use().health()).toMatchObject({
      ok: true,
      status: 'disk_full',
      reason: expect.stringMatching(/disk .* is full.* Full since 20/),
    })
    expect((await use().server.call('GET /api/workspaces')).body.total).toBe(2)
    expect((await use().server.call('GET /metrics')).text).toContain('promptdeck_store_disk_full 1')
  })

  it('allows sign-in and sign-out', async () => {
    const token = await use().server.login('edda', 'a phrase of edda 1')
    expect((await use().server.call('GET /api/me', { token })).body.username).toBe('edda')
    expect((await use().server.call('POST /api/logout', { token })).status).toBe(200)
  })

  it.each([
    ['POST /api/workspaces', { name: 'New' }],
    ['POST /api/prompts', { key: 'new', content: 'x' }],
    ['POST /api/runs', { provider: 'mock', model: 'm', latency_ms: 1, status: 'ok' }],
    ['POST /api/users', { username: 'new', password: 'a long phrase 7', role: 'viewer' }],
  ])('refuses %s with 507', async (call, body) => {
    const { status, body: problem } = await use().server.call(call, { body })
    expect({ status, code: problem.code }).toEqual({ status: 507, code: 'store.full' })
    expect(problem.detail).toMatch(/disk .* is full/)
  })

  it.each(['GET /api/audit/export?format=csv', 'GET /api/runs/export?format=csv', 'GET /api/prompts/export'])(
    'exports: %s',
    async (call) => {
      expect((await use().server.call(call)).status).toBe(200)
    },
  )
}

function testDeletionAndRecovery(use: () => FullDisk): void {
  it('deletes a prompt', async () => {
    const { body } = await use().server.call('GET /api/prompts?q=doomed')
    expect((await use().server.call(`DELETE /api/prompts/${body.data[0].id}`)).status).toBe(200)
    expect((await use().server.call('GET /api/prompts?q=doomed')).body.total).toBe(0)
  })

  it('refuses a backup with 507 and leaves no partial file', async () => {
    const before = use().backups()
    const { status, body } = await use().server.call('POST /api/backups')
    expect({ status, code: body.code }).toEqual({ status: 507, code: 'store.full' })
    expect(use().backups()).toEqual(before)
  })

  it('downloads and deletes the existing backup', async () => {
    const { body } = await use().server.call('GET /api/backups')
    const [{ id }] = body.data
    expect((await use().server.call(`GET /api/backups/${id}/download`)).status).toBe(200)
    expect((await use().server.call(`DELETE /api/backups/${id}`)).status).toBe(200)
    expect(use().backups()).toEqual([])
    use().disk.fill()
  })

  it('restarts while the disk is full, and again when no byte is left', async () => {
    await use().server.restart()
    expect((await use().health()).status).toBe('disk_full')
    await use().server.login('edda', 'a phrase of edda 1')
    await use().server.stop()
    use().disk.fill()
    await use().server.restart()
    expect((await use().health()).status).toBe('disk_full')
    expect((await use().server.call('GET /api/workspaces')).body.total).toBe(2)
    expect((await use().newWorkspace('New')).status).toBe(507)
  })

  it('continues when there is space, and creates the reserve again', async () => {
    use().disk.free()
    expect((await use().newWorkspace('After')).status).toBe(201)
    expect(await use().health()).toMatchObject({ ok: true, status: 'ok' })
    expect(existsSync(join(use().dataDir, 'disk-reserve.bin'))).toBe(true)
    expect((await use().server.call('POST /api/backups')).status).toBe(201)
    await use().server.restart()
    expect((await use().server.call('GET /api/workspaces')).body.total).toBe(3)
    expect((await use().server.call('GET /api/audit/verify')).body.data).toMatchObject({ ok: true })
  })
}

describe('a data folder on a disk that is full from the first start', () => {
  it('is refused with a remedy, and no partial file is left', async () => {
    const disk = await simulatedDisk()
    disk.fill()
    try {
      await expect(startTestServer({ dataDir: join(disk.folder, 'data') })).rejects.toThrow(
        /The disk with .* is full.*Free disk space and start again/,
      )
      disk.free()
      const server = await startTestServer({ dataDir: join(disk.folder, 'data') })
      expect((await server.call('GET /health', { token: null })).body.status).toBe('ok')
      await server.close()
    } finally {
      disk.remove()
    }
  })
})
