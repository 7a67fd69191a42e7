// @ts-check
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setDiskHook } from '../../../dist/server/disk/hook.js'
import { missingAside } from '../faults/recovery.mjs'
import { bounded, start, unclear, upTo } from '../faults/scenario.mjs'
import { compare } from '../faults/verify.mjs'
import { request, runTool } from '../lib/process.mjs'

/** @typedef {import('../faults/scenario.mjs').Acknowledged} Acknowledged */
/**
 * @typedef {{ readonly folder: string, readonly path: string, readonly original: string, readonly crashed: string, readonly acknowledged: Acknowledged, readonly atBackup: Acknowledged, readonly isSwapped: boolean, readonly recovers: boolean, readonly unread: string | null }} Case
 * `unread`: the file that cannot be read. `recovers`: of two ways out, the recovery is taken.
 */

/** Remedies, one of which an error message must name. */
const wayOut =
  /npm run (?:restore|recover)|put (?:it |them |the file |the right key )?back|delete it|move (?:it|the file) away|give the user of this service access/i

/** Makes every call on a file fail; null ends that. @param {string | null} file */
function refuse(file) {
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
function mayMiss(path) {
  if (path.startsWith('payloads/')) return /^the payload of run \d+ is lost$/
  // Backups are checked one by one in `backups`.
  if (path.startsWith('backups/')) return /^the backup \S+ is not verified$/
  return null
}

/**
 * Parts that protect the audit log: its verification must report their damage. store-record.json is swapped
 * with its neighbour audit-head.json.
 */
const guardsChain = (/** @type {string} */ path) =>
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
 * @param {string} url @param {Case} it @param {Acknowledged} acknowledged
 */
async function backups(url, it, acknowledged) {
  const { body } = await request(url, 'GET /api/backups?limit=200')
  const listed = new Map(body?.data?.map((/** @type {any} */ one) => [one.id, one.verified]))
  const wrong = []
  for (const id of acknowledged.backups) {
    const at = (/** @type {string} */ root, /** @type {string} */ end) =>
      join(root, 'backups', `${id}.${end}`)
    // The service keeps two backups; older ones no longer exist.
    if (!existsSync(at(it.crashed, 'sqlite'))) continue
    const [file, seal] = ['sqlite', 'json'].map((end) => contentOf(at(it.folder, end)))
    const isUntouched = ['sqlite', 'json'].every(
      (end) =>
        at(it.folder, end) !== it.unread &&
        contentOf(at(it.folder, end))?.equals(readFileSync(at(it.crashed, end))),
    )
    if (isUntouched && listed.get(id) !== true) wrong.push(`the untouched backup ${id} is not verified`)
    const sum = file && createHash('sha256').update(file).digest('hex')
    if (listed.get(id) === true && !(sum && seal?.includes(sum)))
      wrong.push(`the backup ${id} is listed as verified, and its content has another checksum`)
  }
  return wrong
}

/** Checks that a backup swapped with another is refused. @param {Case} it */
async function refusesSwapped(it) {
  const name = `${it.path.slice(0, it.path.lastIndexOf('.'))}.sqlite`
  const { code, stderr } = await runTool('restore', [join(it.folder, name)], { env: { DATA_DIR: it.folder } })
  return code !== 0 && /SHA-256 differs/.test(stderr)
    ? []
    : [`the restore of ${name} ended with ${code}: ${stderr}`]
}

/** Checks a service that did start. @param {string} url @param {Case} it @param {Acknowledged} acknowledged */
async function whole(url, it, acknowledged) {
  const wrong = []
  const allowed = mayMiss(it.path)
  for (const reason of await compare(url, acknowledged)) {
    if (!allowed?.test(reason)) wrong.push(reason)
  }
  if (it.path.startsWith('backups/')) wrong.push(...(await backups(url, it, acknowledged)))
  const { body } = await request(url, 'GET /api/audit/verify')
  const report = body?.data
  if (report?.ok !== true && !(guardsChain(it.path) && String(report?.reason).length > 20)) {
    wrong.push(`the audit log does not verify: ${report?.reason}`)
  }
  return wrong
}

/**
 * Recovers the store, and compares the result with the dry run.
 * @param {Case} it @returns {Promise<Acknowledged>} The data that remains.
 */
async function recover(it) {
  const env = { DATA_DIR: it.folder }
  const before = `${it.folder}-before`
  cpSync(it.folder, before, { recursive: true, filter: (name) => !/\.(?:sock|tmp)$/.test(name) })
  try {
    const planned = await runTool('recover', [], { env })
    // The damage was an unreadable file, which is readable again.
    if (/There is nothing to recover/.test(planned.stdout)) return it.acknowledged
    const promised = /^Recoverable: all data up to transaction (\d+)/m.exec(planned.stdout)?.[1]
    const { code, stdout, stderr } = await runTool('recover', ['--apply'], { env })
    if (code !== 0) throw new Error(`npm run recover -- --apply ended with ${code}: ${stderr}`)
    const kept = /^Recovered: all data up to transaction (\d+)/m.exec(stdout)?.[1]
    if (promised === undefined || kept !== promised)
      throw new Error(`the dry run promised transaction ${promised}, and ${kept} was kept: ${planned.stdout}`)
    const aside = /^The old files are in (.+)\.$/m.exec(stdout)?.[1] ?? ''
    if (!existsSync(aside)) throw new Error(`nothing was set aside: ${stdout}`)
    const missing = missingAside(before, it.folder)
    if (missing.length > 0) throw new Error(missing.join('; '))
    return upTo(it.acknowledged, Number(kept))
  } finally {
    rmSync(before, { recursive: true, force: true })
  }
}

/**
 * Applies the remedy that the message names.
 * @param {string} message @param {Case} it @returns {Promise<Acknowledged>} The data that must exist then.
 */
async function follow(message, it) {
  refuse(null)
  const env = { DATA_DIR: it.folder }
  const named = /npm run restore -- ("?)(\/[^\s"`]+)\1/.exec(message)?.[2]
  if (/npm run recover/.test(message) && (it.recovers || named === undefined)) return recover(it)
  if (/npm run restore/.test(message)) {
    const backups = join(it.folder, 'backups')
    const [newest = ''] = readdirSync(backups)
      .filter((name) => name.endsWith('.sqlite') && name !== basename(it.path))
      .toSorted()
      .reverse()
    const { code, stderr } = await runTool('restore', [named ?? join(backups, newest)], { env })
    if (code !== 0) throw new Error(`npm run restore ended with ${code}: ${stderr}`)
    return it.atBackup
  }
  // The file is intact once access is restored.
  if (/give the user of this service access/i.test(message)) return it.acknowledged
  const file = join(it.folder, it.path)
  rmSync(file, { recursive: true, force: true })
  mkdirSync(dirname(file), { recursive: true })
  cpSync(it.original, file)
  if (it.isSwapped) {
    // The neighbour also has the wrong content.
    for (const entry of readdirSync(dirname(it.original), { withFileTypes: true }))
      if (entry.isFile()) cpSync(join(dirname(it.original), entry.name), join(dirname(file), entry.name))
  }
  return it.acknowledged
}

/**
 * Starts the service on the damaged folder. It must either start with all data, or refuse to start and name a
 * remedy that works.
 * @param {Case} it
 * @returns {Promise<{ outcome: 'whole' | 'refused', wrong: string[] }>}
 */
export async function judge(it) {
  refuse(it.unread)
  try {
    /** @type {string[]} */
    const wrong = []
    const server = await start(it.folder)
    try {
      wrong.push(...(await whole(server.url, it, it.acknowledged)))
    } finally {
      await bounded('stopping', server.close()).catch(() => {})
    }
    if (it.isSwapped && it.path.startsWith('backups/')) wrong.push(...(await refusesSwapped(it)))
    return { outcome: 'whole', wrong }
  } catch (error) {
    const wrong = unclear('the start', error)
    const message = error instanceof Error ? error.message : String(error)
    if (!wayOut.test(message)) wrong.push(`the refusal names no way on: ${message}`)
    else wrong.push(...(await afterwards(message, it)))
    return { outcome: 'refused', wrong }
  } finally {
    refuse(null)
  }
}

/** @param {string} message @param {Case} it */
async function afterwards(message, it) {
  try {
    const acknowledged = await follow(message, it)
    const server = await start(it.folder)
    try {
      return await whole(server.url, it, acknowledged)
    } finally {
      await bounded('stopping', server.close()).catch(() => {})
    }
  } catch (error) {
    return [
      `the way that was named does not work: ${message} → ${error instanceof Error ? error.message : error}`,
    ]
  }
}
