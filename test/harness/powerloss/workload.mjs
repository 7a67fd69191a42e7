// @ts-check
import { join } from 'node:path'
import { request, runTool, startService } from '../lib/process.mjs'
import { createRandom, pick } from '../lib/random.mjs'
import { note } from './log.mjs'

const preload = new URL('./recorder.mjs', import.meta.url).href
export const BATCH = 7

/**
 * Records a workload: ingest, changes of all kinds, segment rotation, checkpoints, backups, a restore, a
 * kill, stops and starts. Each acknowledgement is logged after the client received it.
 * @param {{ folder: string, log: string, seed: number, rounds: number }} options
 */
export async function recordWorkload({ folder, log, seed, rounds }) {
  const random = createRandom(seed)
  const env = { DATA_DIR: folder, RECORD_LOG: log, RECORD_FOLDER: folder, BACKUPS_KEPT: '2' }
  /** @type {Awaited<ReturnType<typeof startService>> | null} */
  let service = null
  let count = 0
  let url = ''
  /** @type {string[]} */
  let backups = []

  async function start() {
    service = await startService({ env, preload })
    if (service.url === null) {
      const how = service.isLate ? 'in time' : `(it ended with ${(await service.end()).code})`
      throw new Error(
        `the workload cannot start the service ${how}: ${service.said.stdout}${service.said.stderr}`,
      )
    }
    url = service.url
    note(log, { kind: 'listening' })
  }
  /** @param {'SIGTERM' | 'SIGKILL'} signal */
  async function stop(signal) {
    const { code, stderr } = (await service?.stop(signal)) ?? { code: 0, stderr: '' }
    service = null
    if (signal === 'SIGTERM' && code !== 0) throw new Error(`the service ended with ${code}: ${stderr}`)
  }
  /** @param {string} what @param {unknown} [body] */
  async function must(what, body) {
    const reply = await request(url, what, body)
    if (reply.status === 0 || reply.status >= 300) {
      throw new Error(`${what} answered ${reply.status}: ${JSON.stringify(reply.body)}`)
    }
    return reply.body
  }
  /**
   * Makes a change, then logs the newest audit entry: whatever a read returns is durable.
   * @param {string} what @param {unknown} [body]
   */
  async function change(what, body) {
    const reply = await must(what, body)
    const { data } = await must('GET /api/audit?limit=1')
    note(log, { kind: 'audit', id: data[0].id })
    return reply.data
  }
  const unique = () => {
    count += 1
    return `n${count}`
  }

  async function ingest() {
    const run = { provider: 'mock', latency_ms: count, status: 'ok' }
    const name = unique()
    const single = await must('POST /api/runs', { ...run, model: `s-${name}` })
    note(log, { kind: 'runs', model: `s-${name}`, ids: [single.data.id] })
    const batch = unique()
    const body = Array.from({ length: BATCH }, () => ({ ...run, model: `b-${batch}` }))
    const many = await must('POST /api/runs', body)
    note(log, { kind: 'runs', model: `b-${batch}`, ids: many.data.map((/** @type {any} */ { id }) => id) })
  }

  async function capture() {
    const text = `payload of ${unique()}`
    const { run } = await must('POST /api/playground/run', { content: text, provider: 'mock' })
    note(log, { kind: 'payload', id: run.id, text })
  }

  async function changeEverything() {
    const name = unique()
    const workspace = await change('POST /api/workspaces', { name: `W ${name}` })
    await change(`PATCH /api/workspaces/${workspace.id}`, { description: `changed ${name}` })
    note(log, { kind: 'workspace', id: workspace.id, description: `changed ${name}` })
    const prompt = await change('POST /api/prompts', { key: name, env: 'prod', content: `Hi ${name}` })
    await change(`PATCH /api/prompts/${prompt.id}`, { content: `Hello ${name}` })
    await change(`POST /api/prompts/${prompt.id}/publish`)
    await change('POST /api/users', { username: name, password: `a phrase of ${name}`, role: 'viewer' })
    await change('POST /api/tokens', { name })
    await change('POST /api/agents', { key: name, content: `Agent ${name}` })
    await change(`PUT /api/providers/openai`, { api_key: `sk-harness-${name}-0123456789` })
    await change('PATCH /api/settings', { capture: 'full' })
    if (random() < 0.5) await change(`DELETE /api/prompts/${prompt.id}`)
  }

  async function backUp() {
    const nonce = unique()
    note(log, { kind: 'backup.begin', nonce })
    const { id } = await change('POST /api/backups')
    note(log, { kind: 'backup.end', nonce, id })
    backups = [id, ...backups].slice(0, 2)
  }

  async function restore() {
    const id = pick(random, backups)
    await stop('SIGTERM')
    note(log, { kind: 'restore.begin', id })
    const file = join(folder, 'backups', `${id}.sqlite`)
    const { code, stderr } = await runTool('restore', [file], { env, preload })
    if (code !== 0) throw new Error(`the restore ended with ${code}: ${stderr}`)
    note(log, { kind: 'restore.end', id })
    await start()
  }

  async function round() {
    const steps = [ingest, ingest, capture]
    await Promise.all([changeEverything(), ...Array.from({ length: 6 }, () => pick(random, steps)())])
  }

  await start()
  await change('PATCH /api/settings', { capture: 'full' })
  for (let done = 0; done < rounds; done += 1) {
    await round()
    if (done % 2 === 0) await backUp()
    if (done % 4 === 1) {
      await stop('SIGTERM')
      await start()
    }
    if (done % 4 === 2) {
      await stop('SIGKILL')
      await start()
    }
    if (done % 4 === 3) await restore()
  }
  await round()
  await stop('SIGTERM')
}
