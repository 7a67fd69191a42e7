import type { Sequence } from '../../counterparts/websocket-clients.ts'
import { digits, median, ownClock, quantile, ratios } from '../../frame/figure.ts'
import { alternating, type Bench, roundsOf } from '../../frame/group.ts'
import { post, send } from '../../frame/load.ts'
import { type Helper, type Process, token } from '../../frame/processes.ts'

const sockets = 1000
/** Publishes of a round, each after the receipts of the one before. */
const perRound = 4
/** Keys that are published at the same time, and publishes of each. */
const [keys, perKey] = [['a', 'b', 'c'], 10]
const names = ['embedded', 'one', 'three'] as const

/** The instances of one database, and a process with the clients of all of them. */
type Side = {
  readonly instances: readonly Process[]
  readonly clients: Helper
  /** The ids of the prompts by their keys. */
  readonly ids: ReadonlyMap<string, string>
}
type Sides = Readonly<Record<(typeof names)[number], Side>>

/** Starts an instance of the service on a database. */
export const onDatabase = ({ processes }: Bench, url: string): Promise<Process> =>
  processes.service({ DATABASE_URL: url, KEYS_SECRET: token })

/** Publish to receipt over one instance of each engine, and over three instances of one database. */
export async function measureFanOut(
  bench: Bench,
  { embedded, postgres }: { readonly embedded: Process; readonly postgres: Process },
): Promise<void> {
  const url = await bench.processes.postgres()
  const three = [await onDatabase(bench, url), await onDatabase(bench, url), await onDatabase(bench, url)]
  const sides: Sides = {
    embedded: await createSide(bench, [embedded]),
    one: await createSide(bench, [postgres]),
    three: await createSide(bench, three),
  }
  const times: Record<keyof Sides, number[]> = { embedded: [], one: [], three: [] }
  for (const name of names) await publish(sides[name], 0)
  for (const round of roundsOf(bench))
    for (const name of alternating(round, names)) {
      const received: number[] = []
      for (let n = 0; n < perRound; n += 1) received.push(...(await publish(sides[name], n)))
      times[name].push(quantile(received, 0.99))
    }
  addFigures(bench, times, await checkOrder(sides.three))
}

/** Creates the prompts, and opens the sockets, divided evenly among the instances. */
async function createSide({ processes }: Bench, instances: readonly Process[]): Promise<Side> {
  const clients = await processes.helper('websocket-clients')
  const ids = new Map<string, string>()
  for (const key of keys) {
    const { id } = await post(at(instances, 0), '/api/prompts', { key, env: 'prod', content: 'x' })
    ids.set(key, id)
  }
  for (const [index, { url }] of instances.entries()) {
    const count = Math.floor((sockets + index) / instances.length)
    const path = '/ws?client=node-sdk&namespace=prod&app=bench'
    await clients.request({ command: 'open', url: url.replace('http', 'ws') + path, token, count })
  }
  return { instances, clients, ids }
}

function at(instances: readonly Process[], index: number): Process {
  const instance = instances[index % instances.length]
  if (instance === undefined) throw new Error('there is no instance')
  return instance
}

let edits = 0
/** Changes the draft of a prompt. Only a changed draft can be published. */
async function edit(instance: Process, id: string): Promise<void> {
  edits += 1
  const body = JSON.stringify({ content: `x ${edits}` })
  await send(instance, { path: `/api/prompts/${id}`, method: 'PATCH', body })
}

function idOf({ ids }: Side, key: string): string {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`there is no prompt ${key}`)
  return id
}

/** Publishes on one of the instances, and returns the milliseconds until each client has received it. */
async function publish(side: Side, index: number): Promise<number[]> {
  const [instance, id] = [at(side.instances, index), idOf(side, 'a')]
  await edit(instance, id)
  await side.clients.request({ command: 'expect', text: 'prompt.published' })
  const startedAt = performance.timeOrigin + performance.now()
  await post(instance, `/api/prompts/${id}/publish`, {})
  // The program of the clients answers `collect` with the times of arrival.
  const times = (await side.clients.request({ command: 'collect' })) as number[]
  return times.map((time) => time - startedAt)
}

/**
 * Publishes several keys at the same time, each time on another instance. Returns what was received. Throws if a socket
 * has not received each version of each key once and in order.
 */
async function checkOrder(side: Side): Promise<string> {
  const frames = keys.length * perKey
  await side.clients.request({ command: 'expect', text: 'prompt.published', frames })
  await Promise.all(
    keys.map(async (key, first) => {
      for (let n = 0; n < perKey; n += 1) {
        const instance = at(side.instances, first + n)
        await edit(instance, idOf(side, key))
        await post(instance, `/api/prompts/${idOf(side, key)}/publish`, {})
      }
    }),
  )
  await side.clients.request({ command: 'collect' })
  // The program of the clients answers `sequences` with the frames of all sockets.
  const found = (await side.clients.request({ command: 'sequences' })) as Sequence[]
  let checked = 0
  for (const { frames: texts, sockets: count } of found) {
    checked += count
    if (!isComplete(texts))
      throw new Error(`${count} sockets received events twice, not at all or out of order`)
  }
  if (checked !== sockets) throw new Error(`${checked} of ${sockets} sockets were checked`)
  return `${frames} events at the same time: on each socket once, and in order per key`
}

/** Returns true if the frames have each version of each key once, in ascending order. */
function isComplete(texts: readonly string[]): boolean {
  const frames: { readonly key: string; readonly version: string }[] = texts.map((text) => JSON.parse(text))
  return keys.every((key) => {
    const versions = frames
      .filter((frame) => frame.key === key)
      .map(({ version }) => Number(version.slice(1)))
    return versions.length === perKey && versions.every((version, n) => version === (versions[0] ?? 0) + n)
  })
}

function addFigures(bench: Bench, times: Readonly<Record<keyof Sides, number[]>>, order: string): void {
  const common = { better: 'lower' } as const
  const nameOf = (instances: string) => `PostgreSQL: publish to receipt, 1,000 sockets on ${instances}, p99`
  const against = 'the embedded store, one instance'
  bench.add({
    ...common,
    name: nameOf('1 instance'),
    against,
    unit: '×',
    values: ratios(times.embedded, times.one),
    detail: `${digits(median(times.one))} against ${digits(median(times.embedded))} ms`,
  })
  bench.add({
    ...common,
    name: nameOf('3 instances'),
    against,
    unit: '×',
    values: ratios(times.embedded, times.three),
  })
  bench.add({
    ...common,
    name: nameOf('3 instances'),
    against: ownClock,
    unit: 'ms',
    values: times.three,
    goal: 300,
    detail: order,
  })
}
