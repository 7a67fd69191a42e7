// @ts-check

import { request } from '../lib/process.mjs'
import { bounded, Hung, newTold, start } from './scenario.mjs'

/**
 * Starts the service on the folder without faults, and compares its data with the acknowledged data.
 * @param {string} folder @param {readonly import('./scenario.mjs').Told[]} lines The valid states, one of
 *   which must match.
 * @returns {Promise<string[]>}
 */
export async function verify(folder, lines) {
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
    for (const line of lines) {
      const wrong = await compare(url, line)
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

/** @param {string} url @param {import('./scenario.mjs').Told} told */
export async function compare(url, told) {
  const wrong = []
  const list = await request(url, 'GET /api/runs?limit=200')
  const models = new Map((list.body?.data ?? []).map((/** @type {any} */ run) => [run.id, run.model]))
  for (const [id, model] of told.runs)
    if (models.get(id) !== model) wrong.push(`run ${id} (${model}) is lost`)
  for (const [id, text] of told.payloads) {
    const { body } = await request(url, `GET /api/runs/${id}`)
    const { input, output } = body?.data ?? {}
    if (JSON.stringify(input ?? null).includes(text)) continue
    const isLost = (input ?? null) === null && (output ?? null) === null
    wrong.push(`the payload of run ${id} is ${isLost ? 'lost' : 'another one'}`)
  }
  const workspaces = await request(url, 'GET /api/workspaces?limit=200')
  const names = new Map((workspaces.body?.data ?? []).map((/** @type {any} */ one) => [one.id, one.name]))
  for (const [id, name] of told.workspaces)
    if (names.get(id) !== name) wrong.push(`the workspace ${name} is lost`)
  const backups = await request(url, 'GET /api/backups?limit=200')
  const verified = new Map((backups.body?.data ?? []).map((/** @type {any} */ one) => [one.id, one.verified]))
  const last = told.backups.at(-1)
  if (last !== undefined && verified.get(last) !== true) wrong.push(`the backup ${last} is not verified`)
  const written = await request(url, 'POST /api/workspaces', { name: 'written afterwards' })
  if (written.status !== 201) wrong.push(`a write afterwards answered ${written.status}`)
  return wrong
}

/**
 * Merges the initial data with the data that a scenario added.
 * @param {import('./scenario.mjs').Told} before @param {import('./scenario.mjs').Told} added
 */
export function together(before, added) {
  const sum = newTold()
  for (const told of [before, added]) {
    for (const [id, model] of told.runs) sum.runs.set(id, model)
    for (const [id, text] of told.payloads) sum.payloads.set(id, text)
    for (const [id, name] of told.workspaces) sum.workspaces.set(id, name)
    sum.backups.push(...told.backups)
  }
  return sum
}
