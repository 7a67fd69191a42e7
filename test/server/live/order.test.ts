import { expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'
import { connect, type Frame, type Peer } from './live-support.ts'

setUpService()

/** A client that reconnects with its newest number, like SDKs and consoles. */
function createFollower(query: string, token: string) {
  const sockets: Peer[] = []
  const newest = () => Math.max(...sockets.flatMap(({ frames }) => frames.map((frame) => frame.seq ?? 0)))
  const open = async () => {
    const since = sockets.length === 0 ? '' : `&since_seq=${newest()}`
    const url = `${server.url.replace('http', 'ws')}/ws?${query}${since}`
    const peer = await connect(url, { authorization: `Bearer ${token}` })
    sockets.push(peer)
    await peer.next()
  }
  return {
    sockets,
    frames: () => sockets.flatMap(({ frames }) => frames),
    open,
    async reopen() {
      const last = sockets.at(-1)
      last?.socket.terminate()
      await last?.closed
      await open()
    },
    disconnect: () => sockets.at(-1)?.socket.terminate(),
  }
}

const prompts = (frames: readonly Frame[]) =>
  frames
    .filter((frame) => String(frame.type).startsWith('prompt.'))
    .map((frame) => `${frame.key} ${frame.type}`)

const run = { provider: 'mock', model: 'm', latency_ms: 1, status: 'ok' }

/** Makes concurrent mutations of many kinds and sizes, including runs. */
async function mutate(round: number): Promise<void> {
  const ids = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const env = index % 2 === 0 ? 'prod' : 'dev'
      const content = 'x'.repeat(index % 3 === 0 ? 50_000 : 5)
      const body = { key: `order/${round}-${index}`, name: 'n', content, env }
      const reply = await server.call('POST /api/prompts', { body })
      expect(reply.status).toBe(201)
      return reply.body.data.id as string
    }),
  )
  await Promise.all([
    ...ids.map(async (id, index) => {
      await server.call(`PATCH /api/prompts/${id}`, { body: { content: `changed ${index}` } })
      expect((await server.call(`POST /api/prompts/${id}/publish`)).status).toBe(200)
      if (index % 4 === 0) await server.call(`DELETE /api/prompts/${id}`)
    }),
    ...Array.from({ length: 10 }, () => server.call('POST /api/runs', { body: run })),
    server.call('POST /api/workspaces', { body: { name: `W ${round}` } }),
  ])
}

type Follower = ReturnType<typeof createFollower>

/** Checks that numbers do not decrease within a socket. */
function expectOrdered({ sockets }: Follower): void {
  for (const { frames } of sockets) {
    const numbers = frames.filter((frame) => frame.seq !== undefined).map((frame) => frame.seq as number)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  }
}

/** Checks that no frame was lost or repeated, for the prompts with even or odd indexes. */
function expectComplete(follower: Follower, parity: 0 | 1): void {
  const received = prompts(follower.frames())
  expect(follower.frames().filter((frame) => frame.type === 'resync')).toEqual([])
  for (let round = 0; round < 4; round += 1) {
    for (let index: number = parity; index < 12; index += 2) {
      const key = `order/${round}-${index}`
      const expected = [`${key} prompt.created`, `${key} prompt.published`]
      if (index % 4 === 0) expected.push(`${key} prompt.deleted`)
      expect(received.filter((text) => text.startsWith(`${key} `))).toEqual(expected)
    }
  }
}

it('numbers never decrease on any socket, over concurrent mutations, reconnects and a restart', async () => {
  const { token } = await server.signedIn('admin')
  const console = createFollower('namespace=*&client=browser', token)
  const prod = createFollower('namespace=prod&client=node-sdk&app=a', token)
  const dev = createFollower('namespace=dev&client=node-sdk&app=b', token)
  const followers = [console, prod, dev]
  await Promise.all(followers.map((follower) => follower.open()))

  for (let round = 0; round < 4; round += 1) {
    const work = mutate(round)
    // Reconnects several times during the mutations.
    for (let again = 0; again < 3; again += 1) {
      await Promise.all(followers.map((follower) => follower.reopen()))
    }
    await work
    if (round === 1) {
      await server.restart()
      await Promise.all(followers.map((follower) => follower.reopen()))
    }
  }
  const { body } = await server.call('POST /api/prompts', {
    body: { key: 'order/end', name: 'n', content: 'x', env: 'prod' },
  })
  await server.call(`POST /api/prompts/${body.data.id}/promote`, { body: { env: 'dev' } })
  await expect.poll(() => prompts(prod.frames()).at(-1)).toMatch(/^order\/end/)
  await expect.poll(() => prompts(dev.frames()).at(-1)).toMatch(/^order\/end/)
  await expect.poll(() => console.frames().some((frame) => frame.id === body.data.id)).toBe(true)

  for (const follower of followers) expectOrdered(follower)
  expectComplete(prod, 0)
  expectComplete(dev, 1)
  for (const follower of followers) follower.disconnect()
})
