import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Loopback, listen } from '../support/http/loopback.ts'
import { type Instances, serverAt, startInstances } from './instances.ts'

/** A server with the protocol of OpenAI that counts the requests for its models. */
const remote = { lists: 0, status: 200 }
const remoteServer = createServer((_req, res) => {
  remote.lists += 1
  res.writeHead(remote.status, { 'content-type': 'application/json' })
  res.end(JSON.stringify(remote.status === 200 ? { data: [{ id: 'small' }] } : {}))
})

let now = Date.parse('2026-11-21T09:00:00.000Z')
/** The timers of the checks, by instance. */
const ticks: (() => void)[] = []
let http: Loopback
let instances: Instances
beforeAll(async () => {
  http = await listen(remoteServer)
  instances = await startInstances(3, {
    env: { PROVIDER_CHECK_MINUTES: '5' },
    substitutes: {
      clock: { now: () => new Date(now) },
      every: (_ms, work) => {
        ticks.push(work)
        return () => undefined
      },
    },
  })
})
afterAll(async () => {
  await instances.close()
  await http.close()
})

const on = (index: number) => serverAt(instances.servers, index)
const states = () =>
  Promise.all(
    [0, 1, 2].map(async (index) => {
      const { status, error, checked_at } = (await on(index).call('GET /api/providers/openai')).body.data
      return { status, error, checked_at }
    }),
  )
const all = <T>(state: T) => [state, state, state]
const tickAll = () => {
  for (const tick of ticks) tick()
}

it('one instance checks a provider, and every instance has the result', async () => {
  const base_url = `${http.url}/v1`
  const body = { base_url, local: true, api_key: 'sk-of-the-cluster-1234' }
  expect((await on(1).call('PUT /api/providers/openai', { body })).status).toBe(200)
  const unchecked = { status: 'unchecked', error: null, checked_at: null }
  await expect.poll(states, { timeout: 10_000 }).toEqual(all(unchecked))
  const console = await instances.open(2, 'client=browser&namespace=*')

  expect(ticks).toHaveLength(3)
  tickAll()
  const ready = { status: 'ready', error: null, checked_at: new Date(now).toISOString() }
  await expect.poll(states, { timeout: 10_000 }).toEqual(all(ready))
  expect(remote.lists).toBe(1)
  const isNotice = ({ type, entity }: { type: string; entity?: string }) =>
    type === 'changed' && entity === 'provider'
  await expect.poll(() => console.frames.some(isNotice), { timeout: 10_000 }).toBe(true)

  // A later check that finds the same is read by all, too.
  now += 10 * 60_000
  tickAll()
  await expect
    .poll(states, { timeout: 10_000 })
    .toEqual(all({ ...ready, checked_at: new Date(now).toISOString() }))
  expect(remote.lists).toBe(2)

  // A test on any instance counts for all.
  now += 60_000
  remote.status = 500
  await on(2).call('POST /api/providers/openai/test')
  await expect
    .poll(states, { timeout: 10_000 })
    .toEqual(all({ status: 'failing', error: expect.any(String), checked_at: new Date(now).toISOString() }))

  // The result belongs to the settings before the change, also where it is read at that moment.
  now += 1
  const changed = await on(0).call('PUT /api/providers/openai', { body: { base_url: `${base_url}/other` } })
  expect(changed.status).toBe(200)
  await expect.poll(states, { timeout: 10_000 }).toEqual(all(unchecked))
})
