import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Run } from '../../contract/runs/run.ts'
import { openEvents } from '../support/events.ts'
import { type ServiceProcess, spawnService } from '../support/process.ts'
import { serviceToken } from '../support/service.ts'

let dataDir: string
let service: ServiceProcess
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-calls-'))
})
afterAll(async () => {
  await service.kill()
  await rm(dataDir, { recursive: true, force: true })
})

const streams = 50
const rounds = 2

async function get(path: string) {
  const reply = await fetch(service.url + path, { headers: { authorization: `Bearer ${serviceToken}` } })
  return reply.json()
}

/** Reads a stream to its end or until the service is killed; returns the id of the completed run, or null. */
async function follow(key: string, tokensPerSecond: number, onBegun: () => void): Promise<number | null> {
  const stream = await openEvents(service, '/api/playground/run', {
    content: `${key} ${'word '.repeat(30)}`,
    provider: 'mock',
    // Identifies the run in the log: parameters are stored regardless of the capture setting.
    params: { stop: [key.padEnd(20, '.')], mock: { tokens_per_second: tokensPerSecond } },
    stream: true,
  })
  onBegun()
  try {
    for (let event = await stream.next(); event !== null; event = await stream.next()) {
      if (event.event === 'done') return event.data.run.id
    }
    return null
  } catch {
    // The service was killed.
    return null
  }
}

it('records each of 50 streams once, complete or interrupted, after repeated kills in the middle', {
  timeout: 120_000,
}, async () => {
  const acknowledged = new Set<number>()
  for (let round = 0; round < rounds; round += 1) {
    service = await spawnService({ DATA_DIR: dataDir })
    let [begun, done] = [0, 0]
    const following = Array.from({ length: streams }, (_, n) =>
      // Some end before the kill, most do not.
      follow(`r${round}-${n}`, n % 5 === 0 ? 2000 : 2, () => {
        begun += 1
      }).then((id) => {
        if (id !== null) acknowledged.add(id)
        done += 1
      }),
    )
    // The first kill is as soon as all streams have begun, the second when some have ended.
    while (begun < streams || done < round * 3) await delay(1)
    expect(done).toBeLessThan(streams)
    await service.kill()
    await Promise.all(following)
  }
  service = await spawnService({ DATA_DIR: dataDir })

  const runs: Run[] = []
  for (let cursor = ''; ; ) {
    const page = await get(`/api/runs?limit=200${cursor}`)
    runs.push(...page.data)
    if (page.next_cursor === null) break
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
  const keys = await Promise.all(
    runs.map(async ({ id }) => (await get(`/api/runs/${id}`)).data.params.stop[0].replace(/\.+$/, '')),
  )
  const expectedKeys = Array.from({ length: rounds }, (_, round) =>
    Array.from({ length: streams }, (_, n) => `r${round}-${n}`),
  ).flat()
  expect(keys.toSorted()).toEqual(expectedKeys.toSorted())

  const interrupted = runs.filter(({ error_type: type }) => type === 'interrupted')
  const complete = runs.filter(({ status }) => status === 'ok')
  expect(interrupted.length + complete.length).toBe(rounds * streams)
  expect(interrupted.length).toBeGreaterThan(rounds * 10)
  expect(acknowledged.size).toBeGreaterThan(0)
  // A run that was reported as complete is complete.
  const completeIds = new Set(complete.map(({ id }) => id))
  expect([...acknowledged].filter((id) => !completeIds.has(id))).toEqual([])
  for (const run of interrupted) {
    expect(run).toMatchObject({ latency_ms: 0, output_tokens: null, user: 'service-token', reported: false })
  }
  const { data: stats } = await get('/api/runs/stats')
  expect([stats.total, stats.ok, stats.error]).toEqual([runs.length, complete.length, interrupted.length])
  expect(await service.stop()).toBe(0)
  // The next start finds nothing left to repair.
  service = await spawnService({ DATA_DIR: dataDir })
  expect((await get('/api/runs?limit=1')).total).toBe(runs.length)
})
