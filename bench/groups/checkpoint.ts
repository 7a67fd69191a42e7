import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { digits, median, ownClock, quantile, ratios } from '../frame/figure.ts'
import { type Bench, type Group, roundsOf } from '../frame/group.ts'
import { type BenchStore, openBenchStore } from './bench-store.ts'

/** Compares writes during a checkpoint with those before it, and a store's start with reading its files. */
export const checkpoint: Group = {
  name: 'checkpoint',
  async measure(bench) {
    const store = await openBenchStore()
    try {
      await store.fill(bench.isQuick ? 20_000 : 300_000)
      await measureCheckpoints(bench, store)
      await measureStart(bench, store)
    } finally {
      await store.stop()
    }
  },
}

/** Writes one row after another until `isDone`, and returns the milliseconds that each took. */
async function writeUntil({ writeOne }: BenchStore, isDone: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!isDone()) {
    const startedAt = performance.now()
    await writeOne()
    times.push(performance.now() - startedAt)
    await pause(1)
  }
  return times
}

async function measureCheckpoints(bench: Bench, store: BenchStore): Promise<void> {
  const [before, during, stalls, seconds]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (const _ of roundsOf(bench)) {
    const until = performance.now() + 1000
    before.push(quantile(await writeUntil(store, () => performance.now() > until), 0.99))
    const delay = monitorEventLoopDelay({ resolution: 1 })
    let isDone = false
    const startedAt = performance.now()
    delay.enable()
    const written = store.db.checkpoint().finally(() => {
      isDone = true
    })
    during.push(quantile(await writeUntil(store, () => isDone), 0.99))
    await written
    delay.disable()
    seconds.push((performance.now() - startedAt) / 1000)
    stalls.push(delay.max / 1e6)
  }
  const megabytes = digits(store.db.status().usedBytes / 1e6)
  bench.add({
    name: 'p99 of writes during a checkpoint',
    against: 'before it',
    unit: '×',
    better: 'lower',
    values: ratios(before, during),
    detail: `${megabytes} MB in ${digits(median(seconds))} s`,
  })
  bench.add({
    name: 'longest stall during a checkpoint',
    against: ownClock,
    unit: 'ms',
    better: 'lower',
    values: stalls,
    goal: 15,
  })
}

/** Opens copies of the folder of the open store, which is the state after a kill. */
async function measureStart(bench: Bench, store: BenchStore): Promise<void> {
  await store.db.settled()
  const [reading, starting]: [number[], number[]] = [[], []]
  for (const _ of roundsOf(bench)) {
    const copy = mkdtempSync(join(tmpdir(), 'bench-store-'))
    const isCopied = (name: string) => !/[/\\](?:owner\.json|run)$/.test(name)
    cpSync(store.folder, copy, { recursive: true, filter: isCopied })
    const readAt = performance.now()
    readAll(copy)
    reading.push(performance.now() - readAt)
    const startedAt = performance.now()
    const reopened = await openBenchStore(copy)
    starting.push(performance.now() - startedAt)
    await reopened.stop()
    rmSync(copy, { recursive: true, force: true })
  }
  bench.add({
    name: 'start with a snapshot and a journal',
    against: 'reading the same files',
    unit: '×',
    better: 'lower',
    values: ratios(reading, starting),
    detail: `${digits(median(starting))} ms`,
  })
}

function readAll(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    if (statSync(file).isFile()) readFileSync(file)
  }
}
