// @ts-check
import { join } from 'node:path'
import { request, runTool, startService } from '../lib/process.mjs'
import { createRandom, pick } from '../lib/random.mjs'
import { note } from './log.mjs'

const preload = new URL('./recorder.mjs', import.meta.url).href
export const BATCH = 7

/**
 * @typedef {{ folder: string, log: string, env: Record<string, string>, random: () => number,
 *   service: Awaited<ReturnType<typeof startService>> | null, count: number, url: string,
 *   backups: string[] }} State
 */

/**
 * Records a workload: ingest, changes of all kinds, segment rotation, checkpoints, backups, a restore, a
 * kill, stops and starts. Each acknowledgement is logged after the client received it.
 * @param {{ folder: string, log: string, seed: number, rounds: number }} options
 */
export async function recordWorkload({ folder, log, seed, rounds }) {
  const env = { DATA_DIR: folder, RECORD_LOG: log, RECORD_FOLDER: folder, BACKUPS_KEPT: '2' }
  const random = createRandom(seed)
  /** @type {State} */
  const state = { folder, log, env, random, service: null, count: 0, url: '', backups: [] }
  await start(state)
  await change(state, 'PATCH /api/settings', { capture: 'full' })
  for (let done = 0; done < rounds; done += 1) {
    await runRound(state)
    if (done % 2 === 0) await backUp(state)
    if (done % 4 === 1) {
      await stop(state, 'SIGTERM')
      await start(state)
    }
    if (done % 4 === 2) {
      await stop(state, 'SIGKILL')
      await start(state)
    }
    if (done % 4 === 3) await restore(state)
  }
  await runRound(state)
  await stop(state, 'SIGTERM')
}

/** @param {State} state */
async function start(state) {
  const { env, log } = state
  const service = await startService({ env, preload })
  state.service = service
  if (service.url === null) {
    const how = service.isLate ? 'in time' : `(it ended with ${(await service.end()).code})`
    throw new Error(
      `the workload cannot start the service ${how}: ${service.output.stdout}${service.output.stderr}`,
    )
  }
  state.url = service.url
  note(log, { kind: 'listening' })
}

/** @param {State} state @param {'SIGTERM' | 'SIGKILL'} signal */
async function stop(state, signal) {
  const { code, stderr } = (await state.service?.stop(signal)) ?? { code: 0, stderr: '' }
  state.service = null
  if (signal === 'SIGTERM' && code !== 0) throw new Error(`the service ended with ${code}: ${stderr}`)
}

/** Sends a request that must succeed. @param {State} state @param {string} what @param {unknown} [body] */
async function send(state, what, body) {
  const reply = await request(state.url, what, body)
  if (reply.status === 0 || reply.status >= 300) {
    throw new Error(`${what} answered ${reply.status}: ${JSON.stringify(reply.body)}`)
  }
  return reply.body
}

/**
 * Makes a change, then logs the newest audit entry: whatever a read returns is durable.
 * @param {State} state @param {string} what @param {unknown} [body]
 */
async function change(state, what, body) {
  const reply = await send(state, what, body)
  const { data } = await send(state, 'GET /api/audit?limit=1')
  note(state.log, { kind: 'audit', id: data[0].id })
  return reply.data
}

/** @param {State} state */
function unique(state) {
  state.count += 1
  return `n${state.count}`
}

/** @param {State} state */
async function ingest(state) {
  const { log } = state
  const run = { provider: 'mock', latency_ms: state.count, status: 'ok' }
  const name = unique(state)
  const single = await send(state, 'POST /api/runs', { ...run, model: `s-${name}` })
  note(log, { kind: 'runs', model: `s-${name}`, ids: [single.data.id] })
  const batch = unique(state)
  const body = Array.from({ length: BATCH }, () => ({ ...run, model: `b-${batch}` }))
  const many = await send(state, 'POST /api/runs', body)
  note(log, { kind: 'runs', model: `b-${batch}`, ids: many.data.map((/** @type {any} */ { id }) => id) })
}

/** @param {State} state */
async function capture(state) {
  const text = `payload of ${unique(state)}`
  const { run } = await send(state, 'POST /api/playground/run', { content: text, provider: 'mock' })
  note(state.log, { kind: 'payload', id: run.id, text })
}

/** @param {State} state */
async function changeEverything(state) {
  const name = unique(state)
  const workspace = await change(state, 'POST /api/workspaces', { name: `W ${name}` })
  await change(state, `PATCH /api/workspaces/${workspace.id}`, { description: `changed ${name}` })
  note(state.log, { kind: 'workspace', id: workspace.id, description: `changed ${name}` })
  const prompt = await change(state, 'POST /api/prompts', { key: name, env: 'prod', content: `Hi ${name}` })
  await change(state, `PATCH /api/prompts/${prompt.id}`, { content: `Hello ${name}` })
  await change(state, `POST /api/prompts/${prompt.id}/publish`)
  const password = `a phrase of ${name}`
  await change(state, 'POST /api/users', { username: name, password, role: 'viewer' })
  await change(state, 'POST /api/tokens', { name })
  await change(state, 'POST /api/agents', { key: name, content: `Agent ${name}` })
  await change(state, `PUT /api/providers/openai`, { api_key: `sk-harness-${name}-0123456789` })
  await change(state, 'PATCH /api/settings', { capture: 'full' })
  if (state.random() < 0.5) await change(state, `DELETE /api/prompts/${prompt.id}`)
}

/** @param {State} state */
async function backUp(state) {
  const nonce = unique(state)
  note(state.log, { kind: 'backup.begin', nonce })
  const { id } = await change(state, 'POST /api/backups')
  note(state.log, { kind: 'backup.end', nonce, id })
  state.backups = [id, ...state.backups].slice(0, 2)
}

/** @param {State} state */
async function restore(state) {
  const { folder, log, env, random, backups } = state
  const id = pick(random, backups)
  await stop(state, 'SIGTERM')
  note(log, { kind: 'restore.begin', id })
  const file = join(folder, 'backups', `${id}.sqlite`)
  const { code, stderr } = await runTool('restore', [file], { env, preload })
  if (code !== 0) throw new Error(`the restore ended with ${code}: ${stderr}`)
  note(log, { kind: 'restore.end', id })
  await start(state)
}

/** @param {State} state */
async function runRound(state) {
  const steps = [ingest, ingest, capture]
  await Promise.all([
    changeEverything(state),
    ...Array.from({ length: 6 }, () => pick(state.random, steps)(state)),
  ])
}
