// @ts-check
import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setDiskHook } from '../../../dist/server/disk/hook.js'
import { filesNotSetAside } from '../faults/recovery.mjs'
import { bounded, start, unclear, upTo } from '../faults/scenario.mjs'
import { compare } from '../faults/verify.mjs'
import { request, runTool } from '../lib/process.mjs'

/** @typedef {import('../faults/scenario.mjs').Acknowledged} Acknowledged */
/**
 * @typedef {{ readonly folder: string, readonly path: string, readonly original: string,
 *   readonly crashed: string, readonly acknowledged: Acknowledged, readonly atBackup: Acknowledged,
 *   readonly isSwapped: boolean, readonly recovers: boolean, readonly unreadableFile: string | null }} Case
 * `unreadableFile`: the file that cannot be read. `recovers`: of two remedies, the recovery is tested.
 */

/** Remedies, one of which an error message must name. */
const remedyPattern =
  /npm run (?:restore|recover)|put (?:it |them |the file |the right key )?back|delete it|move (?:it|the file) away|give the user of this service access/i

/** Makes every call on a file fail; null ends that. @param {string | null} file */
function failCalls(file) {
  const hook = {
    /** @param {{ path: string, call: string }} operation */
    before({ path, call }) {
      if (path !== file || call === 'close') return
      const code = 'EACCES'
      throw Object.assign(new Error(`${code}: permission denied, ${call} '${path}'`), {
        code,
        syscall: call,
        path,
      })
    },
  }
  setDiskHook(file === null ? undefined : hook)
}

/**
 * Returns the messages that are allowed after the damage, for data without a second copy.
 * @param {string} path @returns {RegExp | null}
 */
function allowedLosses(path) {
  if (path.startsWith('payloads/')) return /^the payload of run \d+ is lost$/
  // Backups are checked one by one in `checkBackups`.
  if (path.startsWith('backups/')) return /^the backup \S+ is not verified$/
  return null
}

/**
 * Parts that protect the audit log: its verification must report their damage. store-record.json is swapped
 * with its neighbour audit-head.json.
 */
const protectsAuditLog = (/** @type {string} */ path) =>
  /^(?:keys\/audit|audit-head|store-record|record|state)/.test(path)

/** @param {string} file */
function contentOf(file) {
  try {
    return readFileSync(file)
  } catch {
    // Deleted, or replaced by a directory.
    return null
  }
}

/**
 * Checks that a backup is listed as verified if and only if its content matches its checksum.
 * @param {string} url @param {Case} testCase @param {Acknowledged} acknowledged
 */
async function checkBackups(url, testCase, acknowledged) {
  const { body } = await request(url, 'GET /api/backups?limit=200')
  const listed = new Map(body?.data?.map((/** @type {any} */ one) => [one.id, one.verified]))
  const wrong = []
  for (const id of acknowledged.backups) {
    const at = (/** @type {string} */ root, /** @type {string} */ end) =>
      join(root, 'backups', `${id}.${end}`)
    // The service keeps two backups; older ones no longer exist.
    if (!existsSync(at(testCase.crashed, 'sqlite'))) continue
    const [file, seal] = ['sqlite', 'json'].map((end) => contentOf(at(testCase.folder, end)))
    const isUntouched = ['sqlite', 'json'].every(
      (end) =>
        at(testCase.folder, end) !== testCase.unreadableFile &&
        contentOf(at(testCase.folder, end))?.equals(readFileSync(at(testCase.crashed, end))),
    )
    if (isUntouched && listed.get(id) !== true) wrong.push(`the untouched backup ${id} is not verified`)
    const sum = file && hash('sha256', file, 'hex')
    if (listed.get(id) === true && !(sum && seal?.includes(sum)))
      wrong.push(`the backup ${id} is listed as verified, and its content has another checksum`)
  }
  return wrong
}

/** Checks that a backup swapped with another is refused. @param {Case} testCase */
async function checkSwappedBackup(testCase) {
  const name = `${testCase.path.slice(0, testCase.path.lastIndexOf('.'))}.sqlite`
  const env = { DATA_DIR: testCase.folder }
  const { code, stderr } = await runTool('restore', [join(testCase.folder, name)], { env })
  return code !== 0 && /SHA-256 differs/.test(stderr)
    ? []
    : [`the restore of ${name} ended with ${code}: ${stderr}`]
}

/**
 * Checks a service that did start.
 * @param {string} url @param {Case} testCase @param {Acknowledged} acknowledged
 */
async function checkService(url, testCase, acknowledged) {
  const wrong = []
  const allowed = allowedLosses(testCase.path)
  for (const reason of await compare(url, acknowledged)) {
    if (!allowed?.test(reason)) wrong.push(reason)
  }
  if (testCase.path.startsWith('backups/')) wrong.push(...(await checkBackups(url, testCase, acknowledged)))
  const { body } = await request(url, 'GET /api/audit/verify')
  const report = body?.data
  if (report?.ok !== true && !(protectsAuditLog(testCase.path) && String(report?.reason).length > 20)) {
    wrong.push(`the audit log does not verify: ${report?.reason}`)
  }
  return wrong
}

/**
 * Recovers the store, and compares the result with the dry run.
 * @param {Case} testCase @returns {Promise<Acknowledged>} The data that remains.
 */
async function recover(testCase) {
  const env = { DATA_DIR: testCase.folder }
  const before = `${testCase.folder}-before`
  cpSync(testCase.folder, before, { recursive: true, filter: (name) => !/\.(?:sock|tmp)$/.test(name) })
  try {
    const dryRun = await runTool('recover', [], { env })
    // The damage was an unreadable file, which is readable again.
    if (/There is nothing to recover/.test(dryRun.stdout)) return testCase.acknowledged
    const recoverable = /^Recoverable: all data up to transaction (\d+)/m.exec(dryRun.stdout)?.[1]
    const { code, stdout, stderr } = await runTool('recover', ['--apply'], { env })
    if (code !== 0) throw new Error(`npm run recover -- --apply ended with ${code}: ${stderr}`)
    const kept = /^Recovered: all data up to transaction (\d+)/m.exec(stdout)?.[1]
    if (recoverable === undefined || kept !== recoverable)
      throw new Error(`the dry run names transaction ${recoverable}, and ${kept} was kept: ${dryRun.stdout}`)
    const aside = /^The old files are in (.+)\.$/m.exec(stdout)?.[1] ?? ''
    if (!existsSync(aside)) throw new Error(`nothing was set aside: ${stdout}`)
    const missing = filesNotSetAside(before, testCase.folder)
    if (missing.length > 0) throw new Error(missing.join('; '))
    return upTo(testCase.acknowledged, Number(kept))
  } finally {
    rmSync(before, { recursive: true, force: true })
  }
}

/**
 * Applies the remedy that the message names.
 * @param {string} message @param {Case} testCase
 * @returns {Promise<Acknowledged>} The data that must exist then.
 */
async function applyRemedy(message, testCase) {
  failCalls(null)
  const env = { DATA_DIR: testCase.folder }
  const namedBackup = /npm run restore -- ("?)(\/[^\s"`]+)\1/.exec(message)?.[2]
  if (/npm run recover/.test(message) && (testCase.recovers || namedBackup === undefined))
    return recover(testCase)
  if (/npm run restore/.test(message)) {
    const backupFolder = join(testCase.folder, 'backups')
    const [newest = ''] = readdirSync(backupFolder)
      .filter((name) => name.endsWith('.sqlite') && name !== basename(testCase.path))
      .toSorted()
      .reverse()
    const { code, stderr } = await runTool('restore', [namedBackup ?? join(backupFolder, newest)], { env })
    if (code !== 0) throw new Error(`npm run restore ended with ${code}: ${stderr}`)
    return testCase.atBackup
  }
  // The file is intact once access is restored.
  if (/give the user of this service access/i.test(message)) return testCase.acknowledged
  const file = join(testCase.folder, testCase.path)
  rmSync(file, { recursive: true, force: true })
  mkdirSync(dirname(file), { recursive: true })
  cpSync(testCase.original, file)
  if (testCase.isSwapped) {
    // The neighbour also has the wrong content.
    const from = dirname(testCase.original)
    for (const entry of readdirSync(from, { withFileTypes: true }))
      if (entry.isFile()) cpSync(join(from, entry.name), join(dirname(file), entry.name))
  }
  return testCase.acknowledged
}

/**
 * Starts the service on the damaged folder. It must either start with all data, or refuse to start and name a
 * remedy that works.
 * @param {Case} testCase
 * @returns {Promise<{ outcome: 'whole' | 'refused', wrong: string[] }>}
 */
export async function checkCase(testCase) {
  failCalls(testCase.unreadableFile)
  try {
    /** @type {string[]} */
    const wrong = []
    const server = await start(testCase.folder)
    try {
      wrong.push(...(await checkService(server.url, testCase, testCase.acknowledged)))
    } finally {
      await bounded('stopping', server.close()).catch(() => {})
    }
    if (testCase.isSwapped && testCase.path.startsWith('backups/'))
      wrong.push(...(await checkSwappedBackup(testCase)))
    return { outcome: 'whole', wrong }
  } catch (error) {
    const wrong = unclear('the start', error)
    const message = error instanceof Error ? error.message : String(error)
    if (!remedyPattern.test(message)) wrong.push(`the refusal names no remedy: ${message}`)
    else wrong.push(...(await checkRemedy(message, testCase)))
    return { outcome: 'refused', wrong }
  } finally {
    failCalls(null)
  }
}

/** @param {string} message @param {Case} testCase */
async function checkRemedy(message, testCase) {
  try {
    const acknowledged = await applyRemedy(message, testCase)
    const server = await start(testCase.folder)
    try {
      return await checkService(server.url, testCase, acknowledged)
    } finally {
      await bounded('stopping', server.close()).catch(() => {})
    }
  } catch (error) {
    return [`the named remedy does not work: ${message} → ${error instanceof Error ? error.message : error}`]
  }
}
