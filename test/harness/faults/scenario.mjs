// @ts-check
import { readConfig } from '../../../dist/server/config.js'
import { startServer } from '../../../dist/server/index.js'
import { createLogger } from '../../../dist/server/lib/logger.js'
import { request, serviceEnv } from '../lib/process.mjs'

export const silent = createLogger({ logLevel: 'silent' })
const tuning = { segmentBytes: 16 * 1024, journalBytes: 256 * 1024, journalTransactions: 25 }
/** Time limit of a step in ms. A machine under load needs most of it. */
const STEP_LIMIT_MS = 30_000

/** A step that exceeded its time limit. */
export class Hung extends Error {}

/** @template T @param {string} what @param {Promise<T>} work @returns {Promise<T>} */
export async function bounded(what, work) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Hung(`${what} took more than ${STEP_LIMIT_MS} ms`)), STEP_LIMIT_MS)
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
 *   backups: string[], unclear: string[], restored: boolean, transactions: Map<string, number> | null }} Acknowledged
 */

/** @returns {Acknowledged} */
export const noneAcknowledged = () => ({
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
 * @param {Acknowledged} acknowledged With transactions. @param {number} last @returns {Acknowledged}
 */
export function upTo(acknowledged, last) {
  const isKept = (/** @type {string} */ what) => (acknowledged.transactions?.get(what) ?? Infinity) <= last
  return {
    ...noneAcknowledged(),
    runs: new Map([...acknowledged.runs].filter(([id]) => isKept(`run ${id}`))),
    payloads: new Map([...acknowledged.payloads].filter(([id]) => isKept(`run ${id}`))),
    workspaces: new Map([...acknowledged.workspaces].filter(([id]) => isKept(`workspace ${id}`))),
    backups: acknowledged.backups.filter((id) => isKept(`backup ${id}`)),
  }
}

/** @param {string} url @param {Acknowledged} acknowledged @param {string} what */
async function recordTransaction(url, acknowledged, what) {
  if (acknowledged.transactions === null) return
  const { body } = await request(url, 'GET /metrics')
  const synced = /^promptdeck_store_synced_transactions (\d+)$/m.exec(body)?.[1]
  if (synced === undefined) throw new Error('the metrics do not name the newest transaction')
  acknowledged.transactions.set(what, Number(synced))
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
 * Sends one request; adds an unclear error to `acknowledged`. Returns null if it was rejected.
 * @param {string} url @param {Acknowledged} acknowledged @param {string} what @param {unknown} [body]
 */
async function ask(url, acknowledged, what, body) {
  const reply = await request(url, what, body, STEP_LIMIT_MS)
  if (reply.status >= 200 && reply.status < 300) return reply.body
  const isProblem = /problem\+json/.test(reply.type) && typeof reply.body?.code === 'string'
  if (reply.type === 'late') acknowledged.unclear.push(`${what} hung`)
  else if (!isProblem)
    acknowledged.unclear.push(`${what} answered ${reply.status} ${reply.type} ${reply.body}`)
  else if (reply.status === 500)
    acknowledged.unclear.push(`${what} answered 500: ${JSON.stringify(reply.body)}`)
  return null
}

/**
 * Turns capture on. Returns false if the service refused that and still captures nothing: its runs then have
 * no payload that could be lost.
 * @param {string} url @param {Acknowledged} acknowledged
 */
async function captureAll(url, acknowledged) {
  const changed = await ask(url, acknowledged, 'PATCH /api/settings', { capture: 'full' })
  if (changed !== null) return true
  const settings = await ask(url, acknowledged, 'GET /api/settings')
  return settings?.data.capture === 'full'
}

/**
 * Workload: ingests runs and payloads, makes changes, checkpoints and a backup.
 * @param {string} url @param {Acknowledged} acknowledged @param {number} times @param {boolean} [hasBackup]
 */
export async function runWorkload(url, acknowledged, times, hasBackup = true) {
  const isCaptured = await captureAll(url, acknowledged)
  for (let round = 0; round < times; round += 1) {
    const model = `m-${round}`
    const run = await ask(url, acknowledged, 'POST /api/runs', {
      provider: 'mock',
      model,
      latency_ms: round,
      status: 'ok',
    })
    if (run !== null) {
      acknowledged.runs.set(run.data.id, model)
      await recordTransaction(url, acknowledged, `run ${run.data.id}`)
    }
    // All texts differ, so that the content of one run is never accepted for another.
    const text = `payload ${round} after ${acknowledged.payloads.size}.`
    const playground = await ask(url, acknowledged, 'POST /api/playground/run', {
      content: text,
      provider: 'mock',
    })
    if (playground !== null && isCaptured) {
      acknowledged.payloads.set(playground.run.id, text)
      await recordTransaction(url, acknowledged, `run ${playground.run.id}`)
    }
    const created = await ask(url, acknowledged, 'POST /api/workspaces', {
      name: `W ${round} ${acknowledged.workspaces.size}`,
    })
    if (created !== null) {
      acknowledged.workspaces.set(created.data.id, created.data.name)
      await recordTransaction(url, acknowledged, `workspace ${created.data.id}`)
    }
  }
  await ask(url, acknowledged, 'PUT /api/providers/openai', { api_key: 'sk-harness-0123456789abcdef' })
  if (!hasBackup) return
  const backup = await ask(url, acknowledged, 'POST /api/backups')
  if (backup === null) return
  acknowledged.backups.push(backup.data.id)
  await recordTransaction(url, acknowledged, `backup ${backup.data.id}`)
}
