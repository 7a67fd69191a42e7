// @ts-check
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setDiskHook } from '../../../dist/server/disk/hook.js'
import { bounded, start, unclear } from '../faults/scenario.mjs'
import { compare } from '../faults/verify.mjs'
import { request, runTool } from '../lib/process.mjs'

/** @typedef {import('../faults/scenario.mjs').Told} Told */
/** @typedef {{ readonly folder: string, readonly path: string, readonly original: string, readonly told: Told, readonly atBackup: Told }} Case */

/** What a message must name: a way on. */
const wayOut =
  /npm run (?:restore|recover)|put (?:it |them |the file |the right key )?back|delete it|move (?:it|the file) away|give the user of this service access/i

/** Lets every call on a file fail; null ends that. @param {string | null} file */
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

/** What may be missing after the damage, since nothing else holds it. @param {string} path @returns {RegExp | null} */
function mayMiss(path) {
  if (path.startsWith('payloads/')) return /^the payload of run \d+ is lost$/
  if (path.startsWith('backups/')) return /^the backup \S+ is not verified$/
  return null
}

/**
 * The parts that protect the audit log: damage there shows in its report, which is what they are for. The neighbour that
 * store-record.json is swapped with is audit-head.json.
 */
const guardsChain = (/** @type {string} */ path) =>
  /^(?:keys\/audit|audit-head|store-record|record|state)/.test(path)

/** Checks a service that did start. @param {string} url @param {Case} it @param {Told} told */
async function whole(url, it, told) {
  const wrong = []
  const allowed = mayMiss(it.path)
  for (const reason of await compare(url, told)) {
    if (!allowed?.test(reason)) wrong.push(reason)
  }
  const { body } = await request(url, 'GET /api/audit/verify')
  const report = body?.data
  if (report?.ok !== true && !(guardsChain(it.path) && String(report?.reason).length > 20)) {
    wrong.push(`the audit log does not verify: ${report?.reason}`)
  }
  return wrong
}

/** Takes the way that the message names. @param {string} message @param {Case} it @returns {Promise<Told | null>} What must be there then; null: what is left. */
async function follow(message, it) {
  refuse(null)
  const env = { DATA_DIR: it.folder }
  const named = /npm run restore -- ("?)(\/[^\s"`]+)\1/.exec(message)?.[2]
  if (/npm run recover/.test(message) && named === undefined) {
    const { code, stderr } = await runTool('recover', ['--apply'], { env })
    if (code !== 0) throw new Error(`npm run recover -- --apply ended with ${code}: ${stderr}`)
    return null
  }
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
  // With access again the file is what it was.
  if (/give the user of this service access/i.test(message)) return it.told
  const file = join(it.folder, it.path)
  rmSync(file, { recursive: true, force: true })
  mkdirSync(dirname(file), { recursive: true })
  cpSync(it.original, file)
  return it.told
}

/**
 * Ends whole, or refuses to start, names a way on, and that way leads to a service that starts.
 * @param {Case} it @param {string | null} refused The file that cannot be read.
 * @returns {Promise<{ outcome: 'whole' | 'refused', wrong: string[] }>}
 */
export async function judge(it, refused) {
  refuse(refused === null ? null : join(it.folder, refused))
  try {
    const server = await start(it.folder)
    try {
      return { outcome: 'whole', wrong: await whole(server.url, it, it.told) }
    } finally {
      await bounded('stopping', server.close()).catch(() => {})
    }
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
    const told = await follow(message, it)
    const server = await start(it.folder)
    try {
      return told === null ? [] : await whole(server.url, { ...it, path: it.path }, told)
    } finally {
      await bounded('stopping', server.close()).catch(() => {})
    }
  } catch (error) {
    return [
      `the way that was named does not work: ${message} → ${error instanceof Error ? error.message : error}`,
    ]
  }
}
