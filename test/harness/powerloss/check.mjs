// @ts-check
import { join } from 'node:path'
import { sql } from 'kysely'
import { composeFoundation } from '../../../dist/server/compose/foundation/foundation.js'
import { readConfig } from '../../../dist/server/config.js'
import { runOwner } from '../../../dist/server/features/runs/payloads/capture.js'
import { createPayloads } from '../../../dist/server/features/runs/payloads/payload-files.js'
import { systemClock } from '../../../dist/server/lib/clock.js'
import { newUuid } from '../../../dist/server/lib/ids.js'
import { createLogger } from '../../../dist/server/lib/logger.js'
import { request, serviceEnv, startService } from '../lib/process.mjs'
import { BATCH } from './workload.mjs'

const logger = createLogger({ logLevel: 'silent' })
const limits = { days: 3650, totalBytes: 2 ** 40, payloadBytes: 2 ** 20 }

/**
 * Opens the folder like the service and compares its content with the acknowledged data. Returns a violation
 * or null.
 * @param {string} folder @param {import('./expectations.mjs').Expected} expected
 * @returns {Promise<string | null>}
 */
export async function checkFolder(folder, expected) {
  /** @type {(() => Promise<void>)[]} */
  const closing = []
  try {
    const config = readConfig({ ...serviceEnv, DATA_DIR: folder })
    const deps = {
      clock: systemClock,
      newId: newUuid,
      logger,
      passwordCost: 4,
      store: { tuning: { segmentBytes: 16 * 1024 }, snapshotAtClose: false },
      osKeyStore: null,
      multicast: () => {
        throw new Error('sharing is off')
      },
      network: { addresses: () => [], hostName: () => 'test', watch: () => () => {} },
      resolve: async () => [],
      every: () => () => {},
      onFatal() {},
    }
    const { db, chain } = await composeFoundation(config, deps, (end) => closing.push(end))
    const report = await chain.verify()
    if (!report.ok) return `the audit log does not verify: ${report.reason}`
    const found = []
    for (const history of expected.histories) {
      const wrong = await compareHistory(db.read, folder, history)
      if (wrong === null) return null
      found.push(wrong)
    }
    return found.join(' / ')
  } catch (error) {
    return `it does not open: ${error instanceof Error ? error.message : error}`
  } finally {
    for (const end of closing.reverse()) await end()
  }
}

/** @param {any} q @param {string} folder @param {import('./expectations.mjs').History} history */
async function compareHistory(q, folder, history) {
  const entries = await sql`SELECT coalesce(max(id), 0) AS id FROM audit`.execute(q)
  const { id: newest } = /** @type {{ id: number }} */ (entries.rows[0])
  if (newest < history.audit) return `the audit log ends with entry ${newest}; ${history.audit} was shown`
  const { rows } =
    await sql`SELECT runs.id, names.name AS model, payload_day AS day, payload_offset AS "offset",
    payload_length AS length FROM runs JOIN names ON names.id = runs.model`.execute(q)
  const runs = new Map(rows.map((/** @type {any} */ row) => [row.id, row]))
  for (const [id, model] of history.runs) {
    if (runs.get(id)?.model !== model) return `run ${id} of ${model} is lost`
  }
  /** @type {Map<string, number>} */
  const sizes = new Map()
  for (const { model } of runs.values()) sizes.set(model, (sizes.get(model) ?? 0) + 1)
  for (const [model, size] of sizes) {
    if (model.startsWith('b-') && size !== BATCH) return `the batch ${model} has ${size} runs`
  }
  const workspaces = (await sql`SELECT id, description FROM workspaces`.execute(q)).rows
  const described = new Map(workspaces.map((/** @type {any} */ row) => [row.id, row.description]))
  for (const [id, description] of history.workspaces) {
    if (described.get(id) !== description) return `the workspace ${id} is not ${description}`
  }
  return comparePayloads(folder, history, runs)
}

/** @param {string} folder @param {import('./expectations.mjs').History} history @param {Map<number, any>} runs */
async function comparePayloads(folder, history, runs) {
  const payloads = createPayloads(join(folder, 'payloads'), () => limits)
  for (const [id, text] of history.payloads) {
    const reference = runs.get(id)
    if (reference === undefined || reference.day === null) return `run ${id} has lost its payload`
    const payload = await payloads.read(reference, [runOwner(id)])
    if (!JSON.stringify(payload).includes(text)) return `the payload of run ${id} is not ${text}`
  }
  return null
}

/**
 * Compares the folder with the expectations through the complete service and its API.
 * @param {string} folder @param {import('./expectations.mjs').Expected} expected
 * @returns {Promise<string | null>}
 */
export async function checkService(folder, expected) {
  const service = await startService({ env: { DATA_DIR: folder, LOG_LEVEL: 'silent' } })
  if (service.url === null) return `the service does not start: ${service.output.stderr}`
  try {
    const chain = await request(service.url, 'GET /api/audit/verify')
    if (chain.body?.data?.ok !== true)
      return `the service's audit log does not verify: ${chain.body?.data?.reason}`
    const found = []
    for (const history of expected.histories) {
      const wrong = await compareByApi(service.url, history)
      if (wrong === null) return null
      found.push(wrong)
    }
    return found.join(' / ')
  } finally {
    await service.stop()
  }
}

/** @param {string} url @param {import('./expectations.mjs').History} history */
async function compareByApi(url, history) {
  for (const [id, model] of [...history.runs].slice(-5)) {
    const { body } = await request(url, `GET /api/runs/${id}`)
    if (body?.data?.model !== model) return `GET /api/runs/${id} does not show ${model}`
  }
  for (const [id, text] of [...history.payloads].slice(-3)) {
    const { body } = await request(url, `GET /api/runs/${id}`)
    if (!JSON.stringify(body).includes(text)) return `GET /api/runs/${id} does not show ${text}`
  }
  return null
}
