import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runTool } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

let server: TestServer
let scratch: string
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'promptdeck-recover-'))
})
afterEach(() => rm(scratch, { recursive: true }))

/** Starts a service before each test of the calling suite and closes it after the test. */
function setUpService(): void {
  beforeEach(async () => {
    server = await startTestServer()
  })
  afterEach(() => server.close())
}

const store = () => join(server.dataDir, 'store')

const run = (tool: string, ...args: string[]) => runTool(tool, args)

const newWorkspace = async (name: string): Promise<string> => {
  const { status, body } = await server.call('POST /api/workspaces', { body: { name } })
  expect(status).toBe(201)
  return body.data.id
}

/** Creates two workspaces and a backup after the first, then replaces store/ by its state after the first. */
async function withOldStore(): Promise<{ kept: string; lost: string; backup: string }> {
  const kept = await newWorkspace('Kept')
  const backup = (await server.call('POST /api/backups')).body.data.id
  await server.stop()
  await cp(store(), join(scratch, 'old'), { recursive: true })
  await server.restart()
  const lost = await newWorkspace('Lost')
  await server.stop()
  await rm(store(), { recursive: true })
  await cp(join(scratch, 'old'), store(), { recursive: true })
  return { kept, lost, backup }
}

const refusal = (): Promise<string> => server.restart().then(() => 'started', String)

describe('a service whose store lost acknowledged data', () => {
  setUpService()

  it('does not start, recovers the rest, reports the loss, and audits it', async () => {
    const { kept, lost, backup } = await withOldStore()
    const message = await refusal()
    expect(message).toMatch(/Data is missing in .*transactions up to \d+ were acknowledged/)
    expect(message).toContain(`npm run recover -- --data "${server.dataDir}"`)
    expect(message).toContain(`npm run restore -- --data "${server.dataDir}" "`)
    expect(message).toContain(`${backup}.sqlite`)

    const state = async () => {
      const names = await readdir(server.dataDir, { recursive: true })
      return Promise.all(
        names.sort().map(async (name) => [name, (await stat(join(server.dataDir, name))).mtimeMs]),
      )
    }
    const before = await state()
    const planned = await run('recover', '--data', server.dataDir)
    expect({ status: planned.status, stderr: planned.stderr }).toEqual({ status: 0, stderr: '' })
    expect(planned.stdout).toMatch(
      /Recoverable: all data up to transaction \d+, the newest change of 20.*Lost, at least:\n {2}\d+ transactions? \(.*\n {2}.*audit log \(/s,
    )
    expect(planned.stdout).toContain('Nothing was changed. Add --apply to recover the store.')
    expect(await state()).toEqual(before)
    expect(await refusal()).toContain('Data is missing')

    const done = await run('recover', '--apply', '--data', server.dataDir)
    expect({ status: done.status, stderr: done.stderr }).toEqual({ status: 0, stderr: '' })
    expect(done.stdout).toMatch(/Recovered: all data.*The old files are in .*set-aside-/s)

    await server.restart()
    expect((await server.call(`GET /api/workspaces/${kept}`)).status).toBe(200)
    expect((await server.call(`GET /api/workspaces/${lost}`)).status).toBe(404)
    const { data } = (await server.call('GET /api/audit?action=restore')).body
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({
      actor: 'system',
      resource: 'backup',
      key: expect.stringMatching(/^transaction-/),
    })
    expect(data[0].summary).toMatch(
      /^Recovered the store up to transaction \d+ \(at least \d+ later ones? (?:was|were) lost\), whose log ends at entry \d+\. Entr/,
    )
    expect((await server.call('GET /api/audit/verify')).body.data).toMatchObject({ ok: true })
    await server.restart()
    expect((await server.call('GET /api/audit?action=restore')).body.total).toBe(1)
  })

  it('returns to the named backup instead, and reports the loss', async () => {
    const { kept, backup } = await withOldStore()
    await refusal()
    const file = join(server.dataDir, 'backups', `${backup}.sqlite`)
    const { status, stdout } = await run('restore', '--data', server.dataDir, file)
    expect(status).toBe(0)
    expect(stdout).toMatch(/Lost compared with the previous data:\n {2}.*transactions? \(/)
    await server.restart()
    expect((await server.call(`GET /api/workspaces/${kept}`)).status).toBe(200)
  })

  it('does not start either if only the signed head of the audit log proves the loss', async () => {
    await withOldStore()
    await rm(join(server.dataDir, 'store-record.json'))
    expect(await refusal()).toMatch(
      /the audit log in the store ends with entry \d+, but audit-head\.json proves that entry \d+ was written.*npm run recover/s,
    )
    expect(await readdir(server.dataDir)).not.toContain('store-record.json')
  })

  it('does not start empty when store/ was deleted', async () => {
    await newWorkspace('Acknowledged')
    await server.stop()
    await rm(store(), { recursive: true })
    expect(await refusal()).toMatch(/the store is empty, but transactions up to \d+ were acknowledged/)
    await rm(join(server.dataDir, 'store-record.json'))
    expect(await refusal()).toMatch(/the audit log in the store has no entry/)
    expect((await run('recover', '--apply', '--data', server.dataDir)).status).toBe(0)
    await server.restart()
    expect((await server.call('GET /api/audit/verify')).body.data).toMatchObject({ ok: true })
  })
})

describe('npm run recover on an intact store', () => {
  setUpService()

  it('refuses while the service runs, prints its URL, and does nothing after it stopped', async () => {
    const refused = await run('recover', '--data', server.dataDir)
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain(server.url)
    await server.stop()
    const { status, stdout } = await run('recover', '--apply', '--data', server.dataDir)
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `The store in ${server.dataDir} opens with all its data. There is nothing to recover.\n`,
    })
    await server.restart()
    expect((await server.call('GET /api/audit?action=restore')).body.total).toBe(0)
  })
})

describe('npm run recover', () => {
  it('reports a folder without data, and creates nothing', async () => {
    const nowhere = join(scratch, 'nowhere')
    expect(await run('recover', '--data', nowhere)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`No Promptdeck data found in ${nowhere}.`),
    })
    expect(existsSync(nowhere)).toBe(false)
  })
  it('reports a data folder that it cannot use without a stack trace', async () => {
    await mkdir(join(scratch, 'data'))
    await writeFile(join(scratch, 'data', 'store'), '')
    const { status, stderr } = await run('recover', '--data', join(scratch, 'data'))
    expect(status).toBe(1)
    expect(stderr).toMatch(/^The recovery was not completed: ENOTDIR: /)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
  it.each([[['--force']], [['file']], [['--data']]])('refuses %j with its usage', async (args) => {
    const { status, stderr } = await run('recover', ...args)
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Usage: npm run recover'),
    })
  })
})
