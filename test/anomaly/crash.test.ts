import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ApiClient, ApiError, createClient } from '../../contract/client.ts'
import { type ServiceProcess, spawnService } from '../support/process.ts'
import { serviceToken } from '../support/service.ts'

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 10)

/** What the service said yes to, over all rounds. */
const acknowledged = {
  runs: new Map<number, { model: string; latency_ms: number }>(),
  workspaces: new Map<string, string>(),
  deleted: new Set<string>(),
  users: new Map<string, string>(),
}
/** Asked for, but killed before the answer: may be there or not, whole or not at all. */
let unanswered = 0

let dataDir: string
let service: ServiceProcess | null = null
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-crash-'))
})
afterAll(async () => {
  await service?.kill()
  await rm(dataDir, { recursive: true, force: true })
})

/** Goes on until the service is gone; a request that got no answer proves nothing. */
async function worker(isOver: () => boolean, step: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    try {
      await step(turn)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 0) throw error
      unanswered += 1
      return
    }
  }
}

function load(api: ApiClient, round: number, isOver: () => boolean): Promise<unknown> {
  const report = (model: string, latency: number) => ({
    provider: 'mock',
    model,
    latency_ms: latency,
    status: 'ok' as const,
  })
  const singles = Array.from({ length: 4 }, (_, lane) =>
    worker(isOver, async (turn) => {
      const run = report(`m-${round}-${lane}`, turn)
      const { data } = await api.runs.report({ body: run })
      if (!Array.isArray(data))
        acknowledged.runs.set(data.id, { model: run.model, latency_ms: run.latency_ms })
    }),
  )
  const batches = worker(isOver, async (turn) => {
    const body = Array.from({ length: 25 }, (_, n) => report(`b-${round}`, turn * 25 + n))
    const { data } = await api.runs.report({ body })
    if (!Array.isArray(data)) throw new Error('a batch is answered with a list')
    for (const [n, { id }] of data.entries())
      acknowledged.runs.set(id, { model: `b-${round}`, latency_ms: turn * 25 + n })
  })
  const workspaces = worker(isOver, async (turn) => {
    const { data } = await api.workspaces.create({ body: { name: `W ${round} ${turn}` } })
    acknowledged.workspaces.set(data.id, data.name)
    const description = `described in round ${round}`
    await api.workspaces.update({ params: { id: data.id }, body: { description } })
    if (turn % 3 !== 0) return
    // From here on it may be gone, whether or not the answer comes.
    acknowledged.workspaces.delete(data.id)
    await api.workspaces.remove({ params: { id: data.id } })
    acknowledged.deleted.add(data.id)
  })
  const reads = worker(isOver, async () => {
    // Whatever a read shows is on disk, too: the newest run it saw must survive.
    const { data } = await api.runs.list({ query: { limit: 1 } })
    for (const run of data) acknowledged.runs.set(run.id, { model: run.model, latency_ms: run.latency_ms })
  })
  return Promise.all([...singles, batches, workspaces, reads])
}

async function everyRun(api: ApiClient): Promise<Map<number, { model: string; latency_ms: number }>> {
  const found = new Map<number, { model: string; latency_ms: number }>()
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<ApiClient['runs']['list']>> = await api.runs.list({
      query: { limit: 200, cursor },
    })
    for (const run of page.data) found.set(run.id, { model: run.model, latency_ms: run.latency_ms })
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
}

it(`loses nothing acknowledged in ${rounds} kills under load`, {
  timeout: rounds * 10_000 + 60_000,
}, async () => {
  for (let round = 0; round < rounds; round++) {
    service = await spawnService({ DATA_DIR: dataDir })
    const api = createClient({ baseUrl: service.url, token: () => serviceToken })
    const { data: user } = await api.users.create({
      body: { username: `u${round}`, password: `phrase of u${round}`, role: 'viewer' },
    })
    acknowledged.users.set(user.id, user.username)
    let isOver = false
    const busy = load(api, round, () => isOver)
    await delay(150 + ((round * 97) % 400))
    await service.kill()
    isOver = true
    await busy
  }

  service = await spawnService({ DATA_DIR: dataDir })
  const api = createClient({ baseUrl: service.url, token: () => serviceToken })
  const runs = await everyRun(api)
  const missing = [...acknowledged.runs].filter(
    ([id, run]) => JSON.stringify(runs.get(id)) !== JSON.stringify(run),
  )
  expect(missing).toEqual([])
  // A batch is whole or not there.
  const inBatches = [...runs.values()].filter((run) => run.model.startsWith('b-')).length
  expect(inBatches % 25).toBe(0)

  for (const [id, name] of acknowledged.workspaces) {
    const { data } = await api.workspaces.get({ params: { id } })
    expect(data.name).toBe(name)
  }
  for (const id of acknowledged.deleted) {
    await expect(api.workspaces.get({ params: { id } })).rejects.toMatchObject({ status: 404 })
  }
  for (const [id, username] of acknowledged.users) {
    expect((await api.users.get({ params: { id } })).data.username).toBe(username)
  }

  const { data: stats } = await api.runs.stats({})
  expect(stats.total).toBe(runs.size)
  const { data: chain } = await api.audit.verify({})
  expect(chain).toMatchObject({ ok: true, first_broken_id: null })
  // A backup is reopened and its integrity checked before it counts as verified.
  const { data: backup } = await api.backups.create({})
  expect(backup.verified).toBe(true)
  expect(acknowledged.runs.size).toBeGreaterThan(rounds * 10)
  expect(unanswered).toBeGreaterThan(0)
  expect(await service.stop()).toBe(0)
  service = null
})
