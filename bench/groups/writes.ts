import { digits, median, percentOf, ratios } from '../frame/figure.ts'
import { alternating, type Bench, type Group, roundsOf } from '../frame/group.ts'
import { type Load, load, type Request, send } from '../frame/load.ts'
import type { Process } from '../frame/processes.ts'
import { openBenchStore } from './bench-store.ts'
import { report } from './fill.ts'
import { startNativeSqlite } from './native-sqlite.ts'

/** Durable writes: the store alone against native SQLite, reports of runs against a route that stores nothing. */
export const writes: Group = {
  name: 'writes',
  async measure(bench) {
    await measureStore(bench)
    await measureIngest(bench)
  },
}

const writeLoads = [
  { name: 'store, 1 writer', writers: 1, rows: 1 },
  { name: 'store, 10 writers', writers: 10, rows: 1 },
  { name: 'store, 50 writers', writers: 50, rows: 1 },
  { name: 'store, 1 writer, batches of 100', writers: 1, rows: 100 },
  { name: 'store, 10 writers, batches of 100', writers: 10, rows: 100 },
]
const engines = ['store', 'delete', 'wal'] as const

async function measureStore(bench: Bench): Promise<void> {
  const [store, native] = [await openBenchStore(), startNativeSqlite()]
  try {
    const measured = bench.isQuick ? writeLoads.filter((_, n) => n % 3 !== 2) : writeLoads
    for (const { name, writers, rows } of measured) {
      const writeLoad = { writers, rows, seconds: bench.isQuick ? 0.3 : 2 }
      const rates = { store: [] as number[], delete: [] as number[], wal: [] as number[] }
      for (const round of roundsOf(bench))
        for (const engine of alternating(round, engines))
          rates[engine].push(
            await (engine === 'store' ? store.rate(writeLoad) : native.rate(engine, writeLoad)),
          )
      const common = { name, unit: '×', better: 'higher' } as const
      bench.add({
        ...common,
        against: 'native SQLite, rollback journal, FULL',
        values: ratios(rates.delete, rates.store),
        detail: `${digits(median(rates.store))} rows/s`,
      })
      bench.add({ ...common, against: 'native SQLite, WAL, FULL', values: ratios(rates.wal, rates.store) })
    }
  } finally {
    await store.stop()
    await native.stop()
  }
}

const path = '/api/runs'
const single = JSON.stringify(report())
const batch = JSON.stringify(Array.from({ length: 100 }, () => report()))
const ingests = [
  { name: 'ingest, 1 connection', connections: 1, body: single, goal: 40, runs: 1 },
  { name: 'ingest, 10 connections', connections: 10, body: single, runs: 1 },
  { name: 'ingest, 50 connections', connections: 50, body: single, goal: 65, runs: 1 },
  { name: 'ingest, 10 connections, batches of 100', connections: 10, body: batch, runs: 100 },
]
type Ingest = (typeof ingests)[number]

async function measureIngest(bench: Bench): Promise<void> {
  const service = await bench.processes.service()
  const express = await bench.processes.counterpart('express')
  const measured = bench.isQuick ? ingests.filter(({ goal }) => goal !== undefined) : ingests
  for (const ingest of measured) {
    const request: Request = { path, method: 'POST', body: ingest.body }
    const { text } = await send(service, request)
    await express.request({ replies: { reads: [], writes: [{ path, body: text }] } })
    await compareIngest(bench, { service, express }, ingest, request)
    // The last burst ended with requests in flight. Writes are serial, so they are done when this one is.
    await send(service, request)
  }
}

type Subjects = { readonly service: Process; readonly express: Process }

async function compareIngest(
  bench: Bench,
  processes: Subjects,
  { name, connections, goal, runs }: Ingest,
  request: Request,
): Promise<void> {
  const burst = (subject: keyof Subjects) =>
    load(processes[subject], request, { connections, seconds: bench.isQuick ? 1 : 2 })
  const loads: Record<keyof Subjects, Load[]> = { service: [], express: [] }
  await burst('service')
  await burst('express')
  for (const round of roundsOf(bench))
    for (const subject of alternating(round, ['service', 'express'] as const))
      loads[subject].push(await burst(subject))
  const rates = (subject: keyof Subjects) => loads[subject].map(({ perSecond }) => perSecond)
  bench.add({
    name,
    against: 'an Express route that stores nothing',
    unit: '%',
    better: 'higher',
    values: percentOf(rates('express'), rates('service')),
    ...(goal !== undefined && { goal }),
    detail: `${digits(median(rates('service')) * runs)} runs/s`,
  })
  await bench.profiled(processes.service, name, () => burst('service'))
}
