// @ts-check
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../../dist/server/config.js'
import { restoreBackup } from '../../../dist/server/db/restore.js'
import { startServer } from '../../../dist/server/index.js'
import { createLogger } from '../../../dist/server/lib/logger.js'
import { request, serviceEnv } from '../lib/process.mjs'

const silent = createLogger({ logLevel: 'silent' })
const tuning = { segmentBytes: 16 * 1024, journalBytes: 256 * 1024, journalTransactions: 25 }
/** Longest a step may take before it counts as hung, ms. A machine under load needs most of it. */
const PATIENCE = 30_000

/** A step that did not come to its end. */
export class Hung extends Error {}

/** @template T @param {string} what @param {Promise<T>} work @returns {Promise<T>} */
export async function bounded(what, work) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Hung(`${what} took more than ${PATIENCE} ms`)), PATIENCE)
  })
  try {
    return /** @type {T} */ (await Promise.race([work, late]))
  } finally {
    clearTimeout(timer)
  }
}

/**
 * What was acknowledged, and what was refused in an unclear way.
 * @typedef {{ runs: Map<number, string>, payloads: Map<number, string>, workspaces: Map<string, string>, backups: string[], unclear: string[], restored: boolean }} Told
 */

/** @returns {Told} */
export const newTold = () => ({
  runs: new Map(),
  payloads: new Map(),
  workspaces: new Map(),
  backups: [],
  unclear: [],
  restored: false,
})

/** A message that a person can act on: one that names what failed, and no stack. @param {string} what @param {unknown} error @returns {string[]} */
export function unclear(what, error) {
  if (error instanceof Hung) return [error.message]
  const message = error instanceof Error ? error.message : String(error)
  const isClear =
    message.length > 20 && !/\n\s+at /.test(message) && !/^(?:TypeError|Cannot read prop)/.test(message)
  return isClear ? [] : [`${what} ended with an unclear message: ${message}`]
}

/** @param {string} folder @param {import('../../../dist/server/db/open.js').StoreSubstitutes} [store] */
export function start(folder, store) {
  const config = readConfig({ ...serviceEnv, DATA_DIR: folder, BACKUPS_KEPT: '2' })
  const starting = startServer(config, {
    logger: silent,
    passwordCost: 4,
    store: { tuning, ...store },
    onFatal() {},
  })
  return bounded('starting', starting)
}

/** One request; adds an unclear refusal to `told`. Null when it was refused. @param {string} url @param {Told} told @param {string} what @param {unknown} [body] */
export async function ask(url, told, what, body) {
  const reply = await request(url, what, body, PATIENCE)
  if (reply.status >= 200 && reply.status < 300) return reply.body
  const isProblem = /problem\+json/.test(reply.type) && typeof reply.body?.code === 'string'
  if (reply.type === 'late') told.unclear.push(`${what} hung`)
  else if (!isProblem) told.unclear.push(`${what} answered ${reply.status} ${reply.type} ${reply.body}`)
  else if (reply.status === 500) told.unclear.push(`${what} answered 500: ${JSON.stringify(reply.body)}`)
  return null
}

/**
 * Ingest, payloads, changes, checkpoints, a backup.
 * @param {string} url @param {Told} told @param {number} times @param {boolean} [hasBackup]
 */
export async function use(url, told, times, hasBackup = true) {
  await ask(url, told, 'PATCH /api/settings', { capture: 'full' })
  for (let turn = 0; turn < times; turn += 1) {
    const model = `m-${turn}`
    const run = await ask(url, told, 'POST /api/runs', {
      provider: 'mock',
      model,
      latency_ms: turn,
      status: 'ok',
    })
    if (run !== null) told.runs.set(run.data.id, model)
    const text = `payload ${turn}`
    const played = await ask(url, told, 'POST /api/playground/run', { content: text, provider: 'mock' })
    if (played !== null) told.payloads.set(played.run.id, text)
    const made = await ask(url, told, 'POST /api/workspaces', { name: `W ${turn} ${told.workspaces.size}` })
    if (made !== null) told.workspaces.set(made.data.id, made.data.name)
  }
  await ask(url, told, 'PUT /api/providers/openai', { api_key: 'sk-harness-0123456789abcdef' })
  if (!hasBackup) return
  const backup = await ask(url, told, 'POST /api/backups')
  if (backup !== null) told.backups.push(backup.data.id)
}

/** @param {string} folder @param {Told} told @param {number} times */
async function startUseStop(folder, told, times) {
  let server
  try {
    server = await start(folder)
  } catch (error) {
    told.unclear.push(...unclear('the start', error))
    return
  }
  await use(server.url, told, times)
  try {
    await bounded('stopping', server.close())
  } catch (error) {
    told.unclear.push(...unclear('the stop', error))
  }
}

/** @param {string} folder @param {Told} told */
async function restore(folder, told) {
  const [file = ''] = readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.sqlite'))
  try {
    await bounded(
      'the restore',
      restoreBackup({ folder: join(folder, 'store'), file: join(folder, 'backups', file), logger: silent }),
    )
    told.restored = true
  } catch (error) {
    told.unclear.push(...unclear('the restore', error))
  }
  await startUseStop(folder, told, 1)
}

/**
 * @typedef {{ readonly name: string, readonly from: string | null, run(folder: string, told: Told): Promise<void> }} Scenario
 * `from`: the folder that the scenario begins with.
 */

/** Makes the folders that scenarios begin with, and what they hold. @param {string} scratch */
export async function prepare(scratch) {
  const made = join(scratch, 'template')
  rmSync(made, { recursive: true, force: true })
  mkdirSync(made, { recursive: true })
  const told = newTold()
  const server = await start(made)
  await use(server.url, told, 3)
  if (told.unclear.length > 0) throw new Error(told.unclear.join('; '))
  // As a crash leaves it: with a journal that is read back.
  const crashed = join(scratch, 'crashed')
  rmSync(crashed, { recursive: true, force: true })
  cpSync(made, crashed, { recursive: true, filter: (name) => !/\.(?:sock|tmp)$/.test(name) })
  await server.close()
  /** @type {Scenario[]} */
  const scenarios = [
    { name: 'new folder', from: null, run: (folder, now) => startUseStop(folder, now, 2) },
    { name: 'recovery', from: crashed, run: (folder, now) => startUseStop(folder, now, 1) },
    { name: 'restore', from: made, run: restore },
  ]
  return { scenarios, told }
}
