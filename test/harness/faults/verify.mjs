// @ts-check

import { request } from '../lib/process.mjs'
import { bounded, Hung, noneAcknowledged, start } from './scenario.mjs'

/**
 * Starts the service on the folder without faults, and compares its data with the acknowledged data.
 * @param {string} folder @param {readonly import('./scenario.mjs').Acknowledged[]} validStates One of them must match.
 * @returns {Promise<string[]>}
 */
export async function verify(folder, validStates) {
  let server
  try {
    // The stop of the service is not under test.
    server = await start(folder, { snapshotAtClose: false })
  } catch (error) {
    return [`afterwards the service does not start: ${error instanceof Error ? error.message : error}`]
  }
  const { url } = server
  try {
    const chain = await request(url, 'GET /api/audit/verify')
    if (chain.body?.data?.ok !== true) return [`the audit log does not verify: ${chain.body?.data?.reason}`]
    const found = []
    for (const state of validStates) {
      const wrong = await compare(url, state)
      if (wrong.length === 0) return []
      found.push(wrong)
    }
    return found[0] ?? []
  } finally {
    await bounded('the last stop', server.close()).catch((error) => {
      if (error instanceof Hung) throw error
    })
  }
}

/**
 * Compares the data of the service with the acknowledged data, and makes a write.
 * @param {string} url @param {import('./scenario.mjs').Acknowledged} acknowledged
 */
export async function compare(url, acknowledged) {
  const wrong = [
    ...(await missingRuns(url, acknowledged)),
    ...(await missingPayloads(url, acknowledged)),
    ...(await missingWorkspaces(url, acknowledged)),
    ...(await unverifiedBackup(url, acknowledged)),
  ]
  const written = await request(url, 'POST /api/workspaces', { name: 'written afterwards' })
  if (written.status !== 201) wrong.push(`a write afterwards answered ${written.status}`)
  return wrong
}

/** Returns the items of a list by id. @param {string} url @param {string} noun @param {(item: any) => unknown} read */
async function listed(url, noun, read) {
  const list = await request(url, `GET /api/${noun}?limit=200`)
  return new Map((list.body?.data ?? []).map((/** @type {any} */ item) => [item.id, read(item)]))
}

/** @param {string} url @param {import('./scenario.mjs').Acknowledged} acknowledged */
async function missingRuns(url, { runs }) {
  const models = await listed(url, 'runs', ({ model }) => model)
  return [...runs]
    .filter(([id, model]) => models.get(id) !== model)
    .map(([id, model]) => `run ${id} (${model}) is lost`)
}

/** @param {string} url @param {import('./scenario.mjs').Acknowledged} acknowledged */
async function missingPayloads(url, { payloads }) {
  const wrong = []
  for (const [id, text] of payloads) {
    const { body } = await request(url, `GET /api/runs/${id}`)
    const { input = null, output = null } = body?.data ?? {}
    if (JSON.stringify(input).includes(text)) continue
    const isLost = input === null && output === null
    wrong.push(`the payload of run ${id} is ${isLost ? 'lost' : 'another one'}`)
  }
  return wrong
}

/** @param {string} url @param {import('./scenario.mjs').Acknowledged} acknowledged */
async function missingWorkspaces(url, { workspaces }) {
  const names = await listed(url, 'workspaces', ({ name }) => name)
  return [...workspaces]
    .filter(([id, name]) => names.get(id) !== name)
    .map(([, name]) => `the workspace ${name} is lost`)
}

/** @param {string} url @param {import('./scenario.mjs').Acknowledged} acknowledged */
async function unverifiedBackup(url, { backups }) {
  const verified = await listed(url, 'backups', (backup) => backup.verified)
  const last = backups.at(-1)
  return last !== undefined && verified.get(last) !== true ? [`the backup ${last} is not verified`] : []
}

/**
 * Merges the initial data with the data that a scenario added.
 * @param {import('./scenario.mjs').Acknowledged} before @param {import('./scenario.mjs').Acknowledged} added
 */
export function merge(before, added) {
  const sum = noneAcknowledged()
  for (const acknowledged of [before, added]) {
    for (const [id, model] of acknowledged.runs) sum.runs.set(id, model)
    for (const [id, text] of acknowledged.payloads) sum.payloads.set(id, text)
    for (const [id, name] of acknowledged.workspaces) sum.workspaces.set(id, name)
    sum.backups.push(...acknowledged.backups)
  }
  return sum
}
