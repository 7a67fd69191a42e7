import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import initSqlJs from 'sql.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'

const restoreTool = fileURLToPath(new URL('../../../dist/bundle/service/restore.js', import.meta.url))

let server: TestServer
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'promptdeck-backups-'))
  server = await startTestServer({
    env: { BACKUPS_KEPT: '3' },
    substitutes: { store: { snapshotAtClose: true } },
  })
})
afterAll(async () => {
  await server.close()
  await rm(scratch, { recursive: true, force: true })
})

async function download(id: string): Promise<Buffer> {
  const response = await server
    .client()
    .download({ path: '/api/backups/:id/download', method: 'GET' } as never, { params: { id } })
  expect(response.headers.get('content-type')).toBe('application/vnd.sqlite3')
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="promptdeck-[\w-]+\.sqlite"$/,
  )
  return Buffer.from(await response.arrayBuffer())
}

const actions = async () => {
  const reply = await server.call('GET /api/audit?resource=backup&limit=200')
  return reply.body.data.map((entry: { action: string; key: string }) => `${entry.action} ${entry.key}`)
}

describe('backups', () => {
  it('are created on demand, verified, listed and audited', async () => {
    const created = await server.call('POST /api/backups')
    expect(created.status).toBe(201)
    const { id, size_bytes } = created.body.data
    expect(created.body.data).toEqual({
      id: expect.stringMatching(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/),
      created_at: expect.any(String),
      size_bytes: expect.any(Number),
      verified: true,
    })
    expect(size_bytes).toBeGreaterThan(8192)
    const list = await server.call('GET /api/backups')
    expect(list.body).toEqual({ data: [created.body.data], total: 1, next_cursor: null })
    expect(await actions()).toEqual([`create ${id}`])
  })

  it('are plain SQLite files with the data of the API, without keys', async () => {
    await server.call('POST /api/workspaces', { body: { name: 'In the backup' } })
    const { body } = await server.call('POST /api/backups')
    const bytes = await download(body.data.id)
    const SQL = await initSqlJs()
    const db = new SQL.Database(bytes)
    expect(db.exec('PRAGMA integrity_check')[0]?.values).toEqual([['ok']])
    expect(db.exec("SELECT slug FROM workspaces WHERE name = 'In the backup'")[0]?.values).toEqual([
      ['in-the-backup'],
    ])
    db.close()
    for (const name of ['jwt.key', 'audit.key']) {
      const key = await readFile(join(server.dataDir, 'keys', name))
      expect(bytes.includes(key)).toBe(false)
    }
    expect((await actions())[0]).toBe(`export ${body.data.id}`)
  })

  it('are limited to the configured number, keeping the newest', async () => {
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push((await server.call('POST /api/backups')).body.data.id)
    const { body } = await server.call('GET /api/backups')
    expect(body.total).toBe(3)
    expect(body.data.map((backup: { id: string }) => backup.id).toSorted()).toEqual(ids.slice(1).toSorted())
  })

  it('are paged with a cursor; an invalid one is refused', async () => {
    const first = await server.call('GET /api/backups?limit=2')
    expect(first.body.data).toHaveLength(2)
    const second = await server.call(`GET /api/backups?limit=2&cursor=${first.body.next_cursor}`)
    expect(second.body.data).toHaveLength(1)
    expect(second.body.next_cursor).toBeNull()
    expect((await server.call('GET /api/backups?cursor=nonsense')).status).toBe(422)
  })

  it('can be deleted; missing ones are 404, regardless of the name', async () => {
    const { body } = await server.call('GET /api/backups')
    const [{ id }] = body.data
    expect((await server.call(`DELETE /api/backups/${id}`)).body).toEqual({ ok: true })
    expect((await actions())[0]).toBe(`delete ${id}`)
    for (const wrong of [id, 'x', '..%2f..%2fkeys%2fjwt', '20261121T093000Z-00000000']) {
      expect((await server.call(`DELETE /api/backups/${wrong}`)).status).toBe(404)
      expect((await server.call(`GET /api/backups/${wrong}/download`)).status).toBe(404)
    }
  })

  it('are unverified after a modification', async () => {
    const { body } = await server.call('POST /api/backups')
    const file = join(server.dataDir, 'backups', `${body.data.id}.sqlite`)
    await writeFile(file, 'shorter')
    const list = await server.call('GET /api/backups')
    const found = list.body.data.find((backup: { id: string }) => backup.id === body.data.id)
    expect(found).toMatchObject({ verified: false, size_bytes: 7 })
  })
})

/** Flips one bit of a file and restores its timestamps, like a faulty disk. */
async function flipBit(file: string): Promise<void> {
  const { atime, mtime } = await stat(file)
  const bytes = await readFile(file)
  bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1
  await writeFile(file, bytes)
  await utimes(file, atime, mtime)
}

const fileOf = (id: string) => join(server.dataDir, 'backups', `${id}.sqlite`)
const listed = async (): Promise<{ id: string; verified: boolean }[]> =>
  (await server.call('GET /api/backups')).body.data
const make = async (): Promise<string> => (await server.call('POST /api/backups')).body.data.id

describe('a backup whose content was changed', () => {
  it('is unverified even with the same size and times, and verified again after its content is restored', async () => {
    const id = await make()
    expect((await listed()).find((backup) => backup.id === id)?.verified).toBe(true)
    await flipBit(fileOf(id))
    expect((await listed()).find((backup) => backup.id === id)?.verified).toBe(false)
    await flipBit(fileOf(id))
    expect((await listed()).find((backup) => backup.id === id)?.verified).toBe(true)
  })

  it('does not displace a verified one from the number to keep', async () => {
    const good = [await make(), await make(), await make()]
    const bad = await make()
    await flipBit(fileOf(bad))
    const next = await make()
    const now = await listed()
    const verified = now.filter((backup) => backup.verified).map((backup) => backup.id)
    expect(verified).toEqual([next, good[2], good[1]])
    expect(now.map((backup) => backup.id)).toContain(bad)
    // It is removed once all kept backups are newer.
    for (let n = 0; n < 3; n += 1) await make()
    expect((await listed()).map((backup) => backup.id)).not.toContain(bad)
    expect(await listed()).toHaveLength(3)
  })
})

describe('at start', () => {
  it('removes only unfinished files of backups', async () => {
    const id = await make()
    await server.stop()
    const folder = join(server.dataDir, 'backups')
    const names = (await readdir(folder)).toSorted()
    for (const name of ['20261121T093000Z-00000000.sqlite.tmp', '20261121T093000Z-00000000.json.tmp']) {
      await writeFile(join(folder, name), 'half')
    }
    await writeFile(join(folder, 'mine.tmp'), 'of somebody else')
    await server.restart()
    expect((await readdir(folder)).toSorted()).toEqual([...names, 'mine.tmp'].toSorted())
    await rm(join(folder, 'mine.tmp'))
    expect((await listed()).map((backup) => backup.id)).toContain(id)
  })

  it('lists a backup without its seal as unverified', async () => {
    const id = await make()
    await rm(join(server.dataDir, 'backups', `${id}.json`))
    expect((await listed()).find((backup) => backup.id === id)?.verified).toBe(false)
    expect((await server.call(`DELETE /api/backups/${id}`)).status).toBe(200)
  })
})

describe('a service that was stopped', () => {
  it('leaves a newest snapshot that any SQLite can open, with the data of the API', async () => {
    const { body } = await server.call('POST /api/workspaces', { body: { name: 'Last words' } })
    await server.stop()
    const names = (await readdir(join(server.dataDir, 'store'))).filter((name) => name.endsWith('.db'))
    const newest = await readFile(join(server.dataDir, 'store', names.toSorted().at(-1) ?? ''))
    const SQL = await initSqlJs()
    const db = new SQL.Database(newest)
    expect(db.exec('PRAGMA integrity_check')[0]?.values).toEqual([['ok']])
    expect(db.exec(`SELECT id FROM workspaces WHERE name = 'Last words'`)[0]?.values).toEqual([
      [body.data.id],
    ])
    db.close()
    await server.restart()
    expect((await server.call(`GET /api/workspaces/${body.data.id}`)).body).toEqual(body)
  })
})

describe('npm run restore', () => {
  // Asynchronous, because the service in this process must reply to the lock query.
  const restore = (...args: string[]) =>
    new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
      const env = { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], DATA_DIR: server.dataDir }
      const child = execFile(process.execPath, [restoreTool, ...args], { env }, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode, stdout, stderr }),
      )
    })

  it('refuses while the service runs, and prints its URL', async () => {
    const file = join(scratch, 'any.sqlite')
    await writeFile(file, 'x')
    const { status, stderr } = await restore(file)
    expect(status).not.toBe(0)
    expect(stderr).toContain(server.url)
  })

  it('restores the data, keeps the replaced files, and is audited', async () => {
    const earlier = (await server.call('POST /api/workspaces', { body: { name: 'Before the backup' } })).body
      .data
    const { body } = await server.call('POST /api/backups')
    const file = join(scratch, 'good.sqlite')
    await writeFile(file, await download(body.data.id))
    const later = (await server.call('POST /api/workspaces', { body: { name: 'After the backup' } })).body
      .data
    await server.stop()

    const { status, stdout, stderr } = await restore(file)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/The previous data was moved to .*replaced-/)

    await server.restart()
    expect((await server.call(`GET /api/workspaces/${earlier.id}`)).status).toBe(200)
    expect((await server.call(`GET /api/workspaces/${later.id}`)).status).toBe(404)
    const [entry] = (await server.call('GET /api/audit?action=restore')).body.data
    expect(entry).toMatchObject({ actor: 'system', actor_kind: 'system', resource: 'backup' })
    expect((await server.call('GET /api/audit/verify')).body.data).toMatchObject({
      ok: true,
      first_broken_id: null,
    })
  })

  it('refuses a modified backup in any location, and changes nothing', async () => {
    const { id } = (await server.call('POST /api/backups')).body.data
    const downloaded = join(scratch, `promptdeck-${id}.sqlite`)
    await writeFile(downloaded, await download(id))
    await server.stop()
    await flipBit(fileOf(id))
    await flipBit(downloaded)
    for (const file of [fileOf(id), downloaded]) {
      const { status, stderr } = await restore(file)
      expect(status).toBe(1)
      expect(stderr).toMatch(/has changed since it was created: its SHA-256 differs.*Choose another backup/)
      expect(stderr).not.toMatch(/\n {4}at /)
    }
    await flipBit(downloaded)
    await writeFile(join(server.dataDir, 'backups', `${id}.json`), '{"created_at": 1')
    expect((await restore(fileOf(id))).stderr).toMatch(/is damaged, so the backup cannot be verified.*move/)
    await rm(join(server.dataDir, 'backups', `${id}.json`))
    const { status, stdout } = await restore(downloaded)
    expect(status).toBe(0)
    expect(stdout).toMatch(/No checksum is recorded for it/)
    await server.restart()
    expect((await server.call('GET /api/workspaces/default')).status).toBe(200)
  })

  it.each([
    ['no file', []],
    ['two files', ['a', 'b']],
    ['an unknown option', ['--help']],
    ['a missing file', ['/nowhere/at/all.sqlite']],
  ])('with %s reports the error and changes nothing', async (_name, args) => {
    await server.stop()
    const { status, stderr } = await restore(...args)
    expect(status).not.toBe(0)
    expect(stderr).not.toMatch(/\n {4}at /)
    await server.restart()
    expect((await server.call('GET /api/workspaces/default')).status).toBe(200)
  })

  it('refuses a file that is not a database of this product', async () => {
    await server.stop()
    const foreign = join(scratch, 'foreign.sqlite')
    const SQL = await initSqlJs()
    const db = new SQL.Database()
    db.run('CREATE TABLE something (else_ TEXT)')
    await writeFile(foreign, db.export())
    db.close()
    for (const file of [foreign, join(scratch, 'any.sqlite')]) {
      const { status, stderr } = await restore(file)
      expect(status).not.toBe(0)
      expect(stderr).toContain(basename(file))
    }
    await server.restart()
    expect((await server.call('GET /api/workspaces/default')).status).toBe(200)
  })
})
