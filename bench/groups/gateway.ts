import { differences, digits, median, quantile, ratios } from '../frame/figure.ts'
import { alternating, type Bench, type Group, roundsOf } from '../frame/group.ts'
import { send } from '../frame/load.ts'
import type { Process } from '../frame/processes.ts'
import { stream } from '../frame/streams.ts'

type Sides = { readonly direct: string; readonly passed: string }
const names = ['direct', 'passed'] as const

/** Calls through the gateway against direct calls to the same provider: time to the first byte, and memory. */
export const gateway: Group = {
  name: 'gateway',
  async measure(bench) {
    const provider = await bench.processes.counterpart('provider')
    const service = await bench.processes.service()
    const settings = { base_url: `${provider.url}/v1`, local: true, api_key: 'sk-bench', concurrency: 64 }
    await send(service, { path: '/api/providers/openai', method: 'PATCH', body: JSON.stringify(settings) })
    const sides = {
      direct: `${provider.url}/v1/chat/completions`,
      passed: `${service.url}/gateway/openai/v1/chat/completions`,
    }
    await measureFirstByte(bench, service, sides)
    await measureStreams(bench, service, sides)
    await measureLargeReply(bench, service, sides)
  },
}

async function measureFirstByte(bench: Bench, service: Process, sides: Sides): Promise<void> {
  const count = bench.isQuick ? 100 : 1000
  const burst = (name: keyof Sides) =>
    stream({ url: sides[name], model: 'paced', count, concurrency: 20, startWithin: 500 })
  const p50: Record<keyof Sides, number[]> = { direct: [], passed: [] }
  const p99: Record<keyof Sides, number[]> = { direct: [], passed: [] }
  for (const name of names) await burst(name)
  for (const round of roundsOf(bench))
    for (const name of alternating(round, names)) {
      const times = await burst(name)
      p50[name].push(median(times))
      p99[name].push(quantile(times, 0.99))
    }
  for (const { share, goal, found } of [
    { share: 'p50', goal: 2, found: p50 },
    { share: 'p99', goal: 10, found: p99 },
  ])
    bench.add({
      name: `added time to first byte, 20 streams, ${share}`,
      against: 'the direct call',
      unit: 'ms',
      better: 'lower',
      values: differences(found.direct, found.passed),
      goal,
      detail: `${digits(median(found.passed))} ms, direct ${digits(median(found.direct))} ms`,
    })
  await bench.profiled(service, '20 streams', () => burst('passed'))
}

/**
 * Compares the memory after each burst of streams with the memory after two bursts, in which the heap has grown to its
 * working size: V8 keeps its free pages.
 */
async function measureStreams(bench: Bench, service: Process, { passed }: Sides): Promise<void> {
  const all = bench.isQuick ? 300 : 10_000
  const count = Math.ceil(all / bench.rounds)
  const burst = () => stream({ url: passed, model: 'short', count, concurrency: 50 })
  await burst()
  await burst()
  const { rss: base } = await service.memory()
  const sizes: number[] = []
  for (const _ of roundsOf(bench)) {
    await burst()
    sizes.push((await service.memory()).rss)
  }
  bench.add({
    name: `memory during ${count * bench.rounds} streams`,
    against: `after ${2 * count} streams`,
    unit: '×',
    better: 'lower',
    values: sizes.map((size) => size / base),
    goal: 1.1,
    detail: `${digits((sizes.at(-1) ?? 0) / 1e6)} MB at the end`,
  })
}

async function measureLargeReply(bench: Bench, service: Process, sides: Sides): Promise<void> {
  const megabytes = 50
  const times: Record<keyof Sides, number[]> = { direct: [], passed: [] }
  const added: number[] = []
  const call = async (name: keyof Sides): Promise<number> => {
    const startedAt = performance.now()
    await stream({ url: sides[name], model: 'large', count: 1, concurrency: 1 })
    return performance.now() - startedAt
  }
  for (const name of names) await call(name)
  for (const round of roundsOf(bench))
    for (const name of alternating(round, names)) {
      const { rss } = await service.memory()
      const { peak } = await service.watch(async () => times[name].push(await call(name)))
      if (name === 'passed') added.push((peak - rss) / 1e6)
    }
  const detail = `${digits((megabytes / median(times.passed)) * 1000)} MB/s`
  bench.add({
    name: 'memory added at most by a reply of 50 MB',
    against: 'before it',
    unit: 'MB',
    better: 'lower',
    values: added,
    goal: megabytes / 2,
    detail,
  })
  bench.add({
    name: 'time of a reply of 50 MB',
    against: 'the direct call',
    unit: '×',
    better: 'lower',
    values: ratios(times.direct, times.passed),
  })
  await bench.profiled(service, 'a reply of 50 MB', () => call('passed'))
}
