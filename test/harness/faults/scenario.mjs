// @ts-check
import { readConfig } from '../../../dist/server/config.js'
import { startServer } from '../../../dist/server/index.js'
import { createLogger } from '../../../dist/server/lib/logger.js'
import { request, serviceEnv } from '../lib/process.mjs'

export const silent = createLogger({ logLevel: 'silent' })
const tuning = { segmentBytes: 16 * 1024, journalBytes: 256 * 1024, journalTransactions: 25 }
/** Time limit of a step in ms. A machine under load needs most of it. */
const PATIENCE = 30_000

/** A step that exceeded its time limit. */
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
 * The acknowledged data, and unclear errors. `transactions`: the last transaction on disk at the time of the
 * reply, by `kind id`; null if not recorded.
 * @typedef {{ runs: Map<number, string>, payloads: Map<number, string>, workspaces: Map<string, string>,
 *   backups: string[], unclear: string[], restored: boolean, transactions: Map<string, number> | null }} Told
 */

/** @returns {Told} */
export const newTold = () => ({
  runs: new Map(),
  payloads: new Map(),
  workspaces: new Map(),
  backups: [],
  unclear: [],
  restored: false,
  transactions: null,
})

/**
 * Returns the data acknowledged up to a transaction.
 * @param {Told} told With transactions. @param {number} last @returns {Told}
 */
export function upTo(told, last) {
  const isKept = (/** @type {string} */ what) => (told.transactions?.get(what) ?? Infinity) <= last
  return {
    ...newTold(),
    runs: new Map([...told.runs].filter(([id]) => isKept(`run ${id}`))),
    payloads: new Map([...told.payloads].filter(([id]) => isKept(`run ${id}`))),
    workspaces: new Map([...told.workspaces].filter(([id]) => isKept(`workspace ${id}`))),
    backups: told.backups.filter((id) => isKept(`backup ${id}`)),
  }
}

/** @param {string} url @param {Told} told @param {string} what */
async function note(url, told, what) {
  if (told.transactions === null) return
  const { body } = await request(url, 'GET /metrics')
  const synced = /^promptdeck_store_synced_transactions (\d+)$/m.exec(body)?.[1]
  if (synced === undefined) throw new Error('the metrics do not name the newest transaction')
  told.transactions.set(what, Number(synced))
}

/**
 * Checks that a message names what failed, without a stack.
 * @param {string} what @param {unknown} error @returns {string[]}
 */
export function unclear(what, error) {
  if (error instanceof Hung) return [error.message]
  const message = error instanceof Error ? error.message : String(error)
  const isClear =
    message.length > 20 && !/\n\s+at /.test(message) && !/^(?:TypeError|Cannot read prop)/.test(message)
  return isClear ? [] : [`${what} ended with an unclear message: ${message}`]
}

/** @param {string} folder @param {import('../../../dist/server/db/engines/sqljs/open.js').StoreSubstitutes} [store] @param {import('../../../dist/server/lib/clock.js').Clock} [clock] */
export function start(folder, store, clock) {
  const config = readConfig({ ...serviceEnv, DATA_DIR: folder, BACKUPS_KEPT: '2' })
  const starting = startServer(config, {
    logger: silent,
    passwordCost: 4,
    store: { tuning, ...store },
    onFatal() {},
    ...(clock && { clock }),
  })
  return bounded('starting', starting)
}

/**
 * Sends one request; adds an unclear error to `told`. Returns null if it was rejected.
 * @param {string} url @param {Told} told @param {string} what @param {unknown} [body]
 */
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
 * Workload: ingests runs and payloads, makes changes, checkpoints and a backup.
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
    if (run !== null) {
      told.runs.set(run.data.id, model)
      await note(url, told, `run ${run.data.id}`)
    }
    // All texts differ, so that the content of one run is never accepted for another.
    const text = `payload ${turn} after ${told.payloads.size}.`
    const played = await ask(url, told, 'POST /api/playground/run', { content: text, provider: 'mock' })
    if (played !== null) {
      told.payloads.set(played.run.id, text)
      await note(url, told, `run ${played.run.id}`)
    }
    const made = await ask(url, told, 'POST /api/workspaces', { name: `W ${turn} ${told.workspaces.size}` })
    if (made !== null) {
      told.workspaces.set(made.data.id, made.data.name)
      await note(url, told, `workspace ${made.data.id}`)
    }
  }
  await ask(url, told, 'PUT /api/providers/openai', { api_key: 'sk-harness-0123456789abcdef' })
  if (!hasBackup) return
  const backup = await ask(url, told, 'POST /api/backups')
  if (backup === null) return
  told.backups.push(backup.data.id)
  await note(url, told, `backup ${backup.data.id}`)
}
