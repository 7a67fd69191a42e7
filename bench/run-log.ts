/** For measurements: opens a run log, and times calls of it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openDb } from '../server/db/engines/sqljs/open.ts'
import { createRunsService } from '../server/features/runs/runs.service.ts'
import { createBus } from '../server/history/events/bus.ts'
import { systemContext } from '../server/lib/context.ts'
import { seedWorkspaces } from '../server/tools/seed-data.ts'

export const ctx = () => systemContext(new Date(), 'bench')

/** Opens a run log in a named folder, or in a temporary one that is removed when the process exits. */
export async function openRunLog(namedFolder?: string, capture: 'off' | 'full' = 'off') {
  const folder = namedFolder ?? mkdtempSync(join(tmpdir(), 'bench-runs-'))
  if (namedFolder === undefined) process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const logger = { info() {}, warn: console.warn, error: console.error }
  const { db } = await openDb({ folder, maxStoreBytes: 8 * 1024 ** 3, logger })
  const at = { protected_envs: '', created_at: 0, updated_at: 0 }
  const defaultWorkspace = { name: 'Default', slug: 'default', description: '' }
  const workspaces = [defaultWorkspace, ...seedWorkspaces]
  await db.write(async ({ q }) => {
    for (const { slug, name, description } of workspaces) {
      const row = { id: slug, slug, name, name_folded: name.toLowerCase(), description, ...at }
      await q
        .insertInto('workspaces')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
  })
  const runs = createRunsService({
    db,
    bus: createBus(),
    deletion: { now: () => new Date() },
    history: { record: async () => {} },
    settings: () => ({
      runRetentionDays: 90,
      capture,
      payloadRetentionDays: 90,
      payloadMaxMb: 1024,
      prices: [],
    }),
    payloadFolder: join(folder, 'payloads'),
    hashEndUser: (endUser) => endUser,
    onError: console.error,
  })
  return { db, runs, folder }
}

export const actors = ['edda', 'finn', 'greta', 'rare'].map((name) => ({
  ...ctx().actor,
  name,
  id: name,
  kind: 'user' as const,
}))

/** Percentiles of the duration of a call, and the longest delay of the event loop, in milliseconds. */
export type Times = { p50: number; p95: number; stall: number }

/** Repeats `work` for 1.5 seconds, at least 20 and at most 300 times, after 5 calls that are not counted. */
export async function timed(work: () => Promise<unknown>): Promise<Times> {
  for (let n = 0; n < 5; n += 1) await work()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const times: number[] = []
  const until = performance.now() + 1500
  while (times.length < 20 || (performance.now() < until && times.length < 300)) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
    await new Promise((resolve) => setImmediate(resolve))
  }
  delay.disable()
  times.sort((a, b) => a - b)
  const rank = (p: number) => times[Math.ceil(p * times.length) - 1] ?? Number.NaN
  return { p50: rank(0.5), p95: rank(0.95), stall: delay.max / 1e6 }
}
