import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDb } from '../../../server/db/engines/sqljs/open.ts'
import { migrations } from '../../../server/db/migrations/index.ts'
import { chainKeyFile } from '../../../server/history/chain/chain-key.ts'
import { runTool } from '../../support/process.ts'
import { copyDataDir, newDataDir, openLog, openStore, quiet, removeDataDir } from './audit-support.ts'

/** Runs `npm run audit:verify -- …`. */
const run = (...args: string[]) => runTool('audit-verify', args)

let folder: string
beforeAll(async () => {
  folder = await newDataDir()
  const log = await openLog(folder)
  for (let i = 0; i < 3; i += 1) await log.record()
  await log.close()
})
afterAll(() => removeDataDir(folder))

it('reports a valid log, and exits with 0', async () => {
  const { status, stdout } = await run(folder)
  expect(stdout).toMatch(
    /The audit log is intact: 3 entries verified\.\nThe newest entry is 3, with the hash [0-9a-f]{64}\./,
  )
  expect(status).toBe(0)
})

it('reports that a service is running, and which route verifies its log', async () => {
  const { db, lock } = await openStore(folder)
  lock.announce('http://127.0.0.1:4780')
  const { status, stderr } = await run(folder)
  await db.close()
  expect(stderr).toMatch(/A service is using .*http:\/\/127\.0\.0\.1:4780.*GET \/api\/audit\/verify/)
  expect(status).toBe(1)
})

it('reports that the key is missing, and exits with 2', async () => {
  const key = await readFile(chainKeyFile(folder))
  await rm(chainKeyFile(folder))
  const { status, stderr } = await run(folder)
  await writeFile(chainKeyFile(folder), key)
  expect(stderr).toMatch(
    /Part of the audit log cannot be verified.*audit\.key is missing.*\nEntries before 4 cannot be verified/s,
  )
  expect(status).toBe(2)
})

it('reports which entries a lost key signed, and exits with 2', async () => {
  const copy = await copyDataDir(folder)
  await rm(chainKeyFile(copy))
  const log = await openLog(copy)
  await log.record()
  await log.close()
  const { status, stderr } = await run(copy)
  await removeDataDir(copy)
  expect(stderr).toMatch(
    /Entries 1 to 3 were signed with another key.*\nEntries before 4 cannot be verified \(of 5 entries\)/s,
  )
  expect(status).toBe(2)
})

it('reports that the key is damaged, and exits with 1', async () => {
  const key = await readFile(chainKeyFile(folder))
  await writeFile(chainKeyFile(folder), key.subarray(1))
  const { status, stderr } = await run(folder)
  await writeFile(chainKeyFile(folder), key)
  expect(stderr).toMatch(/audit\.key is damaged\. Restore a copy/)
  expect(stderr).not.toMatch(/\n {4}at /)
  expect(status).toBe(1)
})

it('names the entry that was tampered with, and exits with 1', async () => {
  const { db } = await openStore(folder)
  await db.write(async (tx) => {
    await tx.q.updateTable('audit').set({ actor: 'mallory' }).where('id', '=', 2).execute()
  })
  await db.close()
  const { status, stderr } = await run(folder)
  expect(stderr).toMatch(/Entry 2 was changed.*\nFirst altered entry: 2 \(of 3 entries\)/s)
  expect(status).toBe(1)
})

it('reads the log of an older version, and changes nothing', async () => {
  const dataDir = await newDataDir()
  const store = join(dataDir, 'store')
  const options = { folder: store, dataDir, maxStoreBytes: 2 ** 28, logger: quiet }
  await (await openDb({ ...options, migrations: migrations.slice(0, 30) })).db.close()
  const before = await readdir(store)
  expect(await run(dataDir)).toMatchObject({ status: 0, stdout: expect.stringContaining('0 entries') })
  expect(await readdir(store)).toEqual(before)
})

/** Node's option to import a module that changes `fs`, the module of promises, before the tool. */
const changing = (change: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`import fs from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    ${change}
    syncBuiltinESMExports()`)}`,
})

const signalled = (signal: string) =>
  changing(`const { readFile } = fs
    fs.readFile = (file, ...more) => {
      if (!String(file).endsWith('audit.key')) return readFile(file, ...more)
      process.kill(process.pid, '${signal}')
      return new Promise(() => setInterval(() => {}, 1000))
    }`)

it('names the user of the service if a file of the store is denied', async () => {
  const error = `Object.assign(new Error("EACCES: permission denied, copyfile 'x'"), { code: 'EACCES', syscall: 'copyfile' })`
  const env = changing(`fs.copyFile = async () => { throw ${error} }`)
  expect(await runTool('audit-verify', [folder], env)).toMatchObject({
    status: 1,
    stderr: "EACCES: permission denied, copyfile 'x'. Run this as the user of the service.\n",
  })
})

it('leaves no copy of the store after a signal, and removes those of processes that were killed', {
  timeout: 60_000,
}, async () => {
  const TMPDIR = await newDataDir()
  // A process was killed before or after its name was in the folder.
  const unnamed = join(TMPDIR, 'promptdeck-copy-unnamed')
  await mkdir(unnamed, { mode: 0o700 })
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000)
  await utimes(unnamed, hoursAgo, hoursAgo)
  const verify = (signal: string) => runTool('audit-verify', [folder], { TMPDIR, ...signalled(signal) })
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT']) {
    expect((await verify(signal)).status).toBeNull()
    // The copy, and the socket of its lock.
    expect(await readdir(TMPDIR)).toHaveLength(signal === 'SIGKILL' ? 2 : 0)
  }
  await removeDataDir(TMPDIR)
})

it('reports an empty folder, and creates nothing', async () => {
  const { status, stderr } = await run(join(folder, 'nowhere'))
  expect(stderr).toMatch(/No Promptdeck data found/)
  expect(status).toBe(1)
})

it('prints its usage', async () => {
  expect(await run('--help')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Usage: npm run audit:verify/),
  })
  expect(await run('--nonsense')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^Usage/) })
})
