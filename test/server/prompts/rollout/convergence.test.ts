import { describe, expect, it } from 'vitest'
import { server, setUpService, time, watcher } from '../../watched-service.ts'
import { act, awaitDelivery, connectApp, edit, makePrompt, promptFramesOf } from '../prompts-support.ts'

setUpService()

const convergence = async (id: string) => (await server.call(`GET /api/prompts/${id}/convergence`)).body.data
const ack = { type: 'ack', seq: 0, key: 'roll' }

describe('convergence', () => {
  it('shows which client runs which version, which ones are behind since when, and the durations', async () => {
    const { id } = await makePrompt(server, { key: 'roll', content: 'one', env: 'prod' })
    const join = (app: string) =>
      connectApp(server, `client=node-sdk&namespace=prod&app=${app}&instance_id=${app}-1`)
    const [fast, slow, behind, silent] = [
      await join('fast'),
      await join('slow'),
      await join('behind'),
      await join('silent'),
    ]
    const dev = await connectApp(server, 'client=node-sdk&namespace=dev&app=fast')
    for (const peer of [fast, slow, behind, dev]) peer.send({ type: 'subscribe', keys: ['roll'] })
    behind.send({ ...ack, version: 'v1' })
    await expect.poll(async () => (await convergence(id)).total).toBe(3)
    await expect.poll(async () => (await convergence(id)).current).toBe(1)

    time.pass(1000)
    await edit(server, id, { content: 'two' })
    await act(server, id, 'publish')
    const published = await convergence(id)
    expect(published).toMatchObject({
      version: 'v2',
      total: 3,
      current: 0,
      behind: 3,
      silent: 1,
      median_ms: null,
    })
    time.pass(200)
    fast.send({ ...ack, version: 'v2' })
    await expect.poll(async () => (await convergence(id)).current).toBe(1)
    time.pass(800)
    slow.send({ ...ack, version: 'v2' })
    await expect.poll(async () => (await convergence(id)).current).toBe(2)
    // A repetition does not update the time.
    time.pass(60_000)
    fast.send({ ...ack, version: 'v2' })
    await awaitDelivery(fast)

    const after = await convergence(id)
    expect(after).toMatchObject({ key: 'roll', env: 'prod', total: 3, current: 2, behind: 1 })
    expect(after.versions).toEqual([
      { version: 'v2', count: 2 },
      { version: 'v1', count: 1 },
    ])
    expect(after.clients[0]).toMatchObject({
      app: 'behind',
      version: 'v1',
      current: false,
      behind_since: after.published_at,
      latency_ms: null,
    })
    const fastClient = after.clients.find((client: { app: string }) => client.app === 'fast')
    expect(fastClient.latency_ms).toBeGreaterThanOrEqual(200)
    expect(fastClient.latency_ms).toBeLessThan(after.slowest_ms)
    expect(after.slowest_ms).toBeGreaterThanOrEqual(1000)
    expect(after.median_ms).toBeGreaterThan(fastClient.latency_ms)
    expect(after.median_ms).toBeLessThan(after.slowest_ms)

    const { body: list } = await server.call('GET /api/prompts?q=roll')
    expect(list.data[0].client_count).toBe(3)

    const late = await join('late')
    late.send({ type: 'subscribe', keys: ['roll'] })
    late.send({ ...ack, version: 'v2' })
    await expect.poll(async () => (await convergence(id)).current).toBe(3)
    const joined = (await convergence(id)).clients.find((client: { app: string }) => client.app === 'late')
    expect(joined.latency_ms).toBeNull()

    behind.socket.close()
    await expect
      .poll(async () => (await convergence(id)).gone.map((client: { app: string }) => client.app))
      .toEqual(['behind'])
    expect(await convergence(id)).toMatchObject({ total: 3, current: 3, behind: 0 })
    for (const peer of [fast, slow, silent, dev, late]) peer.socket.close()
  })

  it('pushes again only to clients that are behind, with a new number, and without an audit entry', async () => {
    const { id } = await makePrompt(server, { key: 'push', content: 'one', env: 'test' })
    const [current, behind] = [
      await connectApp(server, 'namespace=test&app=a'),
      await connectApp(server, 'namespace=test&app=b'),
    ]
    for (const peer of [current, behind]) peer.send({ type: 'subscribe', keys: ['push'] })
    current.send({ type: 'ack', seq: 0, key: 'push', version: 'v1' })
    await expect.poll(async () => (await convergence(id)).current).toBe(1)
    await watcher.run({
      name: 'push',
      call: `POST /api/prompts/${id}/push`,
      status: 200,
      reply: { data: { pushed: 1, version: 'v1' } },
    })
    await watcher.run({
      name: 'again',
      call: `POST /api/prompts/${id}/push`,
      status: 200,
      reply: { data: { pushed: 1, version: 'v1' } },
    })
    await Promise.all([current, behind].map(awaitDelivery))
    expect(promptFramesOf(current)).toEqual([])
    expect(promptFramesOf(behind)).toEqual(['prompt.published push v1', 'prompt.published push v1'])
    const [first, second] = behind.frames.slice(-2)
    expect(second.seq).toBeGreaterThan(first.seq)
    const { body } = await server.call(`GET /api/prompts/${id}`)
    expect(body.data.version).toBe('v1')
    const draft = await makePrompt(server, { key: 'push-draft', draft: true, content: 'x', env: 'test' })
    await watcher.run({
      name: '',
      call: `POST /api/prompts/${draft.id}/push`,
      status: 409,
      reply: { code: 'prompt.nothing_to_publish' },
    })
    for (const peer of [current, behind]) peer.socket.close()
  })
})

describe('impact', () => {
  it('compares the draft with variables of runs, and shows affected clients and who may publish', async () => {
    const { id } = await makePrompt(server, { key: 'impact', content: '{{a}} {{b}}', env: 'prod' })
    await makePrompt(server, { key: 'impact', content: 'x', env: 'dev' })
    const run = (extra: object) => ({
      provider: 'mock',
      model: 'm',
      latency_ms: 1,
      status: 'ok',
      ref_key: 'impact',
      env: 'prod',
      ...extra,
    })
    const old = new Date(time.clock.now().getTime() - 25 * 3_600_000).toISOString()
    const runs = [
      run({ version: 'v1', variables: ['b', 'a', 'a'] }),
      run({ version: 'v0', variables: ['a'] }),
      run({ version: 'v2', status: 'error' }),
      run({ variables: ['old'], created_at: old }),
      run({ variables: ['elsewhere'], ref_key: 'other' }),
      run({ variables: ['test_only'], version: 'v1', env: 'test' }),
      run({ variables: ['somewhere'], version: 'v1', env: null }),
    ]
    expect((await server.call('POST /api/runs', { body: runs })).status).toBe(201)
    await edit(server, id, {
      content: '{{a}} {{c}} {{d}}',
      model: 'm2',
      variables: [{ name: 'd', default: 'D' }],
    })
    const app = await connectApp(server, 'client=python-sdk&namespace=prod&app=shop')
    app.send({ type: 'subscribe', keys: ['impact'] })
    await expect.poll(async () => (await convergence(id)).total).toBe(1)
    const { body } = await server.call(`GET /api/prompts/${id}/impact`)
    expect(body.data).toEqual({
      version: 'v1',
      next_version: 'v2',
      has_changes: true,
      included_by: [],
      diff: {
        added_lines: 1,
        removed_lines: 1,
        type_changed: false,
        model_changed: true,
        params_changed: [],
      },
      variables: {
        added: ['c', 'd'],
        removed: ['b'],
        sent: [
          { name: 'a', runs: 2 },
          { name: 'b', runs: 1 },
        ],
        runs_seen: 2,
        not_sent: ['c'],
        no_longer_used: ['b'],
      },
      clients: { total: 1, silent: 0, apps: [{ app: 'shop', client_type: 'python-sdk', count: 1 }] },
      runs: {
        from: expect.any(String),
        total: 3,
        error: 1,
        by_version: ['v0', 'v1', 'v2'].map((version) => ({ version, count: 1 })),
        unknown_env: 1,
      },
      protected: false,
      required_role: 'editor',
    })
    const detail = await server.call('GET /api/runs?ref_key=impact&env=prod&limit=3')
    const shown = await Promise.all(
      detail.body.data.map(
        async ({ id: run }: { id: number }) =>
          (await server.call(`GET /api/runs/${run}`)).body.data.variables,
      ),
    )
    expect(shown).toEqual([null, ['a'], ['a', 'b']])
    app.socket.close()
  })
})
