import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import initSqlJs from 'sql.js'
import { describe, expect, it } from 'vitest'
import { runTool } from '../../support/process.ts'
import { download, fileOf, flipBit, scratch, server, setUpService } from './backups-support.ts'

setUpService()

describe('npm run restore', () => {
  const restore = (...args: string[]) => runTool('restore', args, { DATA_DIR: server.dataDir })

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
    const other = fileOf((await server.call('POST /api/backups')).body.data.id)
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
    // The other backup continues the data before the restore, so it lacks the entry of the restore.
    await server.stop()
    expect((await restore(other)).stdout).toMatch(/does not continue the previous data[\s\S]*\(1 to \d+\)/)
    await server.restart()
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

  it('reports no file, two files, an unknown option, a missing file and files of others, and changes nothing', async () => {
    await server.stop()
    for (const args of [[], ['a', 'b'], ['--help'], ['/nowhere/at/all.sqlite']]) {
      const { status, stderr } = await restore(...args)
      expect(status, args.join()).not.toBe(0)
      expect(stderr).not.toMatch(/\n {4}at /)
    }
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
