import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import initSqlJs from 'sql.js'
import { describe, expect, it } from 'vitest'
import { setDiskHook } from '../../../server/disk/hook.ts'
import { download, fileOf, flipBit, server, setUpService } from './backups-support.ts'

setUpService()

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
    const folder = '20261121T093000Z-00000001'
    await mkdir(fileOf(folder))
    for (const wrong of [id, 'x', '..%2f..%2fkeys%2fjwt', '20261121T093000Z-00000000', folder]) {
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
    for (const end of ['unsealed.tmp', 'unsealed.tmp.tmp', 'json', 'json.tmp'])
      await writeFile(join(folder, `20261121T093000Z-00000000.${end}`), 'half')
    await writeFile(join(folder, 'mine.tmp'), 'of somebody else')
    // A name that cannot be removed does not prevent the start.
    const blocked = '20261121T093000Z-00000002.json.tmp'
    await mkdir(join(folder, blocked))
    await server.restart()
    expect((await readdir(folder)).toSorted()).toEqual([...names, blocked, 'mine.tmp'].toSorted())
    for (const name of [blocked, 'mine.tmp']) await rm(join(folder, name), { recursive: true })
    expect((await listed()).map((backup) => backup.id)).toContain(id)
  })

  it('completes an interrupted deletion', async () => {
    const id = await make()
    setDiskHook({
      before({ call, path }) {
        if (call === 'rm' && path.includes(id)) throw new Error('interrupted')
      },
    })
    await server.call(`DELETE /api/backups/${id}`)
    setDiskHook(undefined)
    expect((await listed()).map((backup) => backup.id)).not.toContain(id)
    await server.restart()
    const names = await readdir(join(server.dataDir, 'backups'))
    expect(names.filter((name) => name.startsWith(id))).toEqual([])
  })

  it('lists a backup without its seal as unverified', async () => {
    const id = await make()
    await rm(join(server.dataDir, 'backups', `${id}.json`))
    expect((await listed()).find((backup) => backup.id === id)?.verified).toBe(false)
    expect((await server.call(`DELETE /api/backups/${id}`)).status).toBe(200)
  })

  it('lists a file whose name or seal has no valid time, beside the others', async () => {
    const id = await make()
    const other = '20261399T999999Z-00000001'
    await writeFile(fileOf(other), 'of somebody else')
    const sealFile = fileOf(id).replace('.sqlite', '.json')
    const seal = JSON.parse(await readFile(sealFile, 'utf8'))
    await writeFile(sealFile, JSON.stringify({ ...seal, created_at: Number.MAX_SAFE_INTEGER }))
    const found = (await listed()).filter((backup) => [id, other].includes(backup.id))
    expect(found.map(({ verified }) => verified)).toEqual([false, false])
    for (const name of [id, other])
      expect((await server.call(`DELETE /api/backups/${name}`)).status).toBe(200)
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
