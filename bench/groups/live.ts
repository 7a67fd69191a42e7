import { digits, median, ownClock, quantile, ratios } from '../frame/figure.ts'
import { alternating, type Bench, type Group, roundsOf } from '../frame/group.ts'
import { post, send } from '../frame/load.ts'
import { type Helper, type Process, token } from '../frame/processes.ts'

/** One side of the comparison: a server, and a process with its clients. */
type Side = {
  readonly server: Process
  readonly clients: Helper
  readonly path: string
  /** Makes the next publish possible. Not part of the measured time. */
  readonly prepare: () => Promise<unknown>
  /** Sends a frame of the type `prompt.published` to all clients. */
  readonly publish: () => Promise<unknown>
}
const names = ['service', 'bare'] as const
type Sides = Readonly<Record<(typeof names)[number], Side>>

/** Publish to receipt, memory per socket and a reconnect storm, against a bare WebSocket server. */
export const live: Group = {
  name: 'live',
  async measure(bench) {
    const sides = await createSides(bench)
    for (const count of bench.isQuick ? [300] : [100, 1000, 5000]) await measureFanOut(bench, sides, count)
    await measureReconnects(bench, sides)
  },
}

async function createSides({ processes }: Bench): Promise<Sides> {
  const service = await processes.service()
  const bare = await processes.counterpart('websocket')
  const { id } = await post(service, '/api/prompts', { key: 'bench', env: 'prod', content: 'x' })
  let edits = 0
  return {
    service: {
      server: service,
      clients: await processes.helper('websocket-clients'),
      path: '/ws?client=node-sdk&namespace=prod&app=bench',
      async prepare() {
        // Only a changed draft can be published.
        edits += 1
        const body = JSON.stringify({ content: `x ${edits}` })
        await send(service, { path: `/api/prompts/${id}`, method: 'PATCH', body })
      },
      publish: () => post(service, `/api/prompts/${id}/publish`, {}),
    },
    bare: {
      server: bare,
      clients: await processes.helper('websocket-clients'),
      path: '/',
      prepare: async () => undefined,
      publish: () => post(bare, '/', { type: 'prompt.published', key: 'bench', note: 'x'.repeat(300) }),
    },
  }
}

/** Opens connections and returns the milliseconds until all are open. */
async function open({ server, clients, path }: Side, count: number): Promise<number> {
  const url = server.url.replace('http', 'ws') + path
  // The program of the clients answers `open` with a number.
  return (await clients.request({ command: 'open', url, token, count })) as number
}

const close = ({ clients }: Side) => clients.request({ command: 'close' })

/** Publishes and returns the milliseconds until each client has received it. */
async function publish({ clients, publish: start, prepare }: Side): Promise<number[]> {
  await prepare()
  await clients.request({ command: 'expect', text: 'prompt.published' })
  const startedAt = performance.timeOrigin + performance.now()
  await start()
  // The program of the clients answers `collect` with the times of arrival.
  const times = (await clients.request({ command: 'collect' })) as number[]
  return times.map((at) => at - startedAt)
}

/** Opens the connections, and returns the memory that each takes on the server, in kB. */
async function openMeasured(side: Side, count: number): Promise<number> {
  const before = await side.server.memory()
  await open(side, count)
  const after = await side.server.memory()
  return (after.heap - before.heap) / count / 1000
}

/** Opens all connections on both sides, publishes, and closes them. */
async function fanOutRound(sides: Sides, count: number, round: number) {
  const memory = { service: 0, bare: 0 }
  const p99 = { service: 0, bare: 0 }
  for (const name of names) memory[name] = await openMeasured(sides[name], count)
  for (const name of alternating(round, names)) {
    // The first one warms up.
    await publish(sides[name])
    const times: number[] = []
    for (let n = 0; n < 4; n += 1) times.push(...(await publish(sides[name])))
    p99[name] = quantile(times, 0.99)
  }
  for (const name of names) await close(sides[name])
  return { memory, p99 }
}

async function measureFanOut(bench: Bench, sides: Sides, count: number): Promise<void> {
  const found: Awaited<ReturnType<typeof fanOutRound>>[] = []
  for (const round of roundsOf(bench)) found.push(await fanOutRound(sides, count, round))
  await bench.profiled(sides.service.server, `publish to ${count}`, async () => {
    await open(sides.service, count)
    for (const _ of roundsOf(bench)) await publish(sides.service)
    await close(sides.service)
  })
  const p99Of = (name: keyof Sides) => found.map(({ p99 }) => p99[name])
  const memoryOf = (name: keyof Sides) => found.map(({ memory }) => memory[name])
  const common = { name: `publish to receipt, ${count} sockets, p99`, better: 'lower' } as const
  bench.add({
    ...common,
    against: 'bare `ws`, which stores nothing',
    unit: '×',
    values: ratios(p99Of('bare'), p99Of('service')),
    detail: `bare ${digits(median(p99Of('bare')))} ms`,
  })
  bench.add({
    ...common,
    against: ownClock,
    unit: 'ms',
    values: p99Of('service'),
    ...(count === 5000 && { goal: 200 }),
  })
  bench.add({
    name: `memory per socket, ${count} sockets`,
    against: 'heap and buffers before',
    unit: 'kB',
    better: 'lower',
    values: memoryOf('service'),
    ...(count === 5000 && { goal: 15 }),
    detail: `bare ${digits(median(memoryOf('bare')))} kB`,
  })
}

async function measureReconnects(bench: Bench, sides: Sides): Promise<void> {
  const reconnecting = bench.isQuick ? 300 : 1000
  const times: Record<keyof Sides, number[]> = { service: [], bare: [] }
  for (const name of names) await open(sides[name], reconnecting)
  for (const round of roundsOf(bench))
    for (const name of alternating(round, names)) {
      await close(sides[name])
      times[name].push(await open(sides[name], reconnecting))
    }
  for (const name of names) await close(sides[name])
  bench.add({
    name: `reconnect storm of ${reconnecting}, all connected again`,
    against: 'bare `ws`',
    unit: '×',
    better: 'lower',
    values: ratios(times.bare, times.service),
    detail: `${digits(median(times.service))} ms`,
  })
}
