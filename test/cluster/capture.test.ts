import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../support/service.ts'
import { type Instances, serverAt, startInstances } from './instances.ts'

const day = 24 * 3_600_000
/** Reports of each instance, which it sends at the same time as the other. */
const reports = 12
const run = { provider: 'openai', model: 'gpt-4o', latency_ms: 1, status: 'ok' }

const folder = await mkdtemp(join(tmpdir(), 'promptdeck-capture-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Reports one run after the other and returns their ids. */
async function report(server: TestServer, name: string): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < reports; n += 1) {
    const body = { ...run, input: `question ${name} ${n}`, output: `needle of ${name}` }
    const reply = await server.call('POST /api/runs', { body })
    expect(reply.status).toBe(201)
    ids.push(reply.body.data.id)
  }
  return ids
}

/** Returns the ids of all runs that a search in captured texts finds, in ascending order. */
async function found(server: TestServer, text: string): Promise<number[]> {
  const { body } = await server.call(`GET /api/runs?limit=200&content=${encodeURIComponent(text)}`)
  expect(body.total).toBe(body.data.length)
  return body.data.map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b)
}

describe.each([
  ['the database', {}],
  ['a shared folder', { PAYLOADS_URL: pathToFileURL(folder).href }],
])('captured texts of two instances in %s', (_place, env) => {
  let now = Date.now()
  let instances: Instances
  let a: TestServer
  let b: TestServer
  beforeAll(async () => {
    instances = await startInstances(2, { env, substitutes: { clock: { now: () => new Date(now) } } })
    a = serverAt(instances.servers, 0)
    b = serverAt(instances.servers, 1)
  })
  afterAll(() => instances.close())

  const inOrder = (ids: readonly string[]) => ids.map(Number).toSorted((x, y) => x - y)
  const stateOf = async (server: TestServer, id: string | undefined) =>
    (await server.call(`GET /api/runs/${id}`)).body.data.content_state

  it('are all found and read on the other one, and removed when they expire', async () => {
    expect((await a.call('PATCH /api/settings', { body: { capture: 'full' } })).status).toBe(200)
    await expect
      .poll(async () => (await b.call('GET /api/settings')).body.data.capture, { timeout: 20_000 })
      .toBe('full')
    const [ofA, ofB] = await Promise.all([report(a, 'first'), report(b, 'second')])
    expect((await found(b, 'needle first')).map(Number)).toEqual(inOrder(ofA))
    expect((await found(a, 'needle second')).map(Number)).toEqual(inOrder(ofB))
    expect((await found(a, 'needle')).map(Number)).toEqual(inOrder([...ofA, ...ofB]))
    for (const [n, id] of ofA.entries()) {
      const { body } = await b.call(`GET /api/runs/${id}`)
      expect(body.data).toMatchObject({ input: `question first ${n}`, output: 'needle of first' })
    }

    now += 9 * day
    const kept = await report(b, 'third')
    // A change of the settings starts the removal on the instance that does it for all.
    for (const server of [a, b])
      expect((await server.call('PATCH /api/settings', { body: { payload_retention_days: 6 } })).status).toBe(
        200,
      )
    for (const server of [a, b]) {
      await expect.poll(() => stateOf(server, ofA[0]), { timeout: 20_000 }).toBe('removed')
      expect(await stateOf(server, ofB[0])).toBe('removed')
      expect((await found(server, 'needle')).map(Number)).toEqual(inOrder(kept))
    }
    if ('PAYLOADS_URL' in env)
      await expect.poll(async () => (await readdir(folder)).length, { timeout: 20_000 }).toBe(1)
  })
})
