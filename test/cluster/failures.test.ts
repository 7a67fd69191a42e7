import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runOnServer } from '../support/postgres/server.ts'
import { type Processes, startProcesses } from './processes.ts'

/** Number of times that PostgreSQL is restarted under load. */
const rounds = Number(process.env['POSTGRES_RESTARTS'] ?? 2)
/** Runs that each instance stores before and after each restart. */
const runsPerStep = 10

let processes: Processes
beforeAll(async () => {
  processes = await startProcesses(3)
})
afterAll(() => processes.close())

const sdk = 'client=node-sdk&app=shop&namespace=prod'

async function publish(index: number, id: string, content: string): Promise<void> {
  expect((await processes.call(index, `PATCH /api/prompts/${id}`, { content })).status).toBe(200)
  expect((await processes.call(index, `POST /api/prompts/${id}/publish`, {})).status).toBe(200)
}

/** Returns the process id of the connection that holds the lock of the leader; null if none does. */
async function leaderConnection(): Promise<number | null> {
  const [row] = await runOnServer<{ pid: number }>(
    processes.database.urlOf('postgres'),
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND (classid::bigint << 32) + objid::bigint = 7046930003`,
  )
  return row?.pid ?? null
}

describe('an instance that is killed', () => {
  it('loses no frame of its clients, and no work: another instance takes over', async () => {
    const first = await processes.open(0, sdk)
    const created = await processes.call(1, 'POST /api/prompts', { key: 'kept', env: 'prod', content: 'one' })
    const { id } = created.body.data
    await first.next()
    await publish(2, id, 'two')
    const { seq, version } = await first.next()
    expect(version).toBe('v2')
    const leader = await leaderConnection()
    expect(leader).not.toBeNull()
    await processes.at(0).kill()
    await first.closed
    await publish(1, id, 'three')
    await publish(2, id, 'four')
    const second = await processes.open(1, sdk, seq)
    await publish(2, id, 'five')
    const versions = (await second.take(3)).map((frame) => frame.version)
    expect(versions).toEqual(['v3', 'v4', 'v5'])
    await expect
      .poll(leaderConnection, { timeout: 20_000 })
      .toSatisfy((pid) => pid !== null && pid !== leader)
  })
})

/** Reports runs to an instance, each again until it is acknowledged, as SDKs do. */
function startLoad(index: number) {
  const statuses = new Set<number>()
  let acknowledged = 0
  let isStopping = false
  /** Resolved after each reply. */
  let wake = () => {}
  const waitUntil = async (isDone: () => boolean) => {
    while (!isDone())
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  const run = { provider: 'openai', model: 'under-load', latency_ms: 1, status: 'ok' }
  const ended = (async () => {
    while (!isStopping) {
      const body = { ...run, client_run_id: `${index}-${acknowledged}` }
      const { status } = await processes.call(index, 'POST /api/runs', body)
      statuses.add(status)
      if (status === 201) acknowledged += 1
      wake()
    }
  })()
  return {
    statuses,
    acknowledged: () => acknowledged,
    async more(count: number) {
      const goal = acknowledged + count
      await waitUntil(() => acknowledged >= goal)
    },
    async refused() {
      statuses.clear()
      await waitUntil(() => statuses.has(503))
    },
    async stop() {
      isStopping = true
      await ended
    },
  }
}

describe('PostgreSQL that is restarted under load', () => {
  it(
    'makes requests fail with 503 meanwhile, and loses and repeats no run',
    async () => {
      const peer = await processes.open(1, sdk)
      const loads = [1, 2].map(startLoad)
      const all = <T>(step: (load: (typeof loads)[number]) => Promise<T>) => Promise.all(loads.map(step))
      const statuses = new Set<number>()
      for (let round = 0; round < rounds; round += 1) {
        await all((load) => load.more(runsPerStep))
        await processes.database.kill()
        await all((load) => load.refused())
        await processes.database.start()
        await all((load) => load.more(runsPerStep))
        for (const load of loads) for (const status of load.statuses) statuses.add(status)
      }
      await all((load) => load.stop())
      expect([...statuses].toSorted()).toEqual([201, 503])
      const stored = loads.reduce((sum, load) => sum + load.acknowledged(), 0)
      for (const index of [1, 2]) {
        const runs = await processes.call(index, 'GET /api/runs?model=under-load&limit=1')
        expect(runs.body.total).toBe(stored)
        const statistics = await processes.call(index, 'GET /api/runs/stats?model=under-load')
        expect(statistics.body.data.total).toBe(stored)
      }
      // The connections that listen recovered, too.
      const created = await processes.call(2, 'POST /api/prompts', {
        key: 'after',
        env: 'prod',
        content: 'x',
      })
      expect(created.status).toBe(201)
      expect(await peer.next()).toMatchObject({ type: 'prompt.created', key: 'after' })
      expect((await processes.call(1, 'GET /api/audit/verify')).body.data.ok).toBe(true)
    },
    60_000 + rounds * 15_000,
  )
})
