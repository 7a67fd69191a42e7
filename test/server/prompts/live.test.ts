import { describe, expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'
import { connect } from '../live/live-support.ts'
import {
  act,
  awaitDelivery,
  connectApp,
  edit,
  fetchServed,
  makePrompt,
  promptFramesOf,
} from './prompts-support.ts'

setUpService(async () => {
  await server.call('POST /api/workspaces', { body: { name: 'Blue' } })
})

describe('hot reload', () => {
  it('reaches the clients of that environment and workspace, in order, without drafts', async () => {
    const [prod, dev, blue] = await Promise.all([
      connectApp(server, 'client=node-sdk&namespace=prod&app=a'),
      connectApp(server, 'client=node-sdk&namespace=dev&app=b'),
      connectApp(server, 'client=node-sdk&namespace=prod&app=c&workspace=blue'),
    ])
    const { id, workspace_id } = await makePrompt(server, { key: 'hot', content: 'one', env: 'prod' })
    await edit(server, id, { content: 'two' })
    await act(server, id, 'publish')
    await edit(server, id, { content: 'three', name: 'Hot' })
    await act(server, id, 'rollback', { version: 'v1' })
    await act(server, id, 'promote', { env: 'dev' })
    await server.call(`DELETE /api/prompts/${id}`)
    await act(server, id, 'restore')
    await Promise.all([prod, dev, blue].map(awaitDelivery))
    expect(promptFramesOf(prod)).toEqual([
      'prompt.created hot v1',
      'prompt.published hot v2',
      'prompt.updated hot v2',
      'prompt.rolled_back hot v3',
      'prompt.deleted hot v3',
      'prompt.created hot v3',
    ])
    expect(promptFramesOf(dev)).toEqual(['prompt.created hot v1'])
    expect(promptFramesOf(blue)).toEqual([])
    const [, created] = prod.frames
    expect(created).toEqual({
      type: 'prompt.created',
      seq: expect.any(Number),
      id,
      key: 'hot',
      env: 'prod',
      version: 'v1',
      workspace_id,
    })
    const seqs = prod.frames.map((frame) => frame.seq)
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    for (const peer of [prod, dev, blue]) peer.socket.close()
  })

  it('sends nothing about an unpublished prompt, and its first publish', async () => {
    const dev = await connectApp(server, 'client=node-sdk&namespace=dev&app=b')
    const { id } = await makePrompt(server, { key: 'quiet', draft: true, content: 'x', env: 'dev' })
    await edit(server, id, { content: 'y', name: 'Quiet' })
    await server.call(`DELETE /api/prompts/${id}`)
    await act(server, id, 'restore')
    await awaitDelivery(dev)
    expect(promptFramesOf(dev)).toEqual([])
    expect((await fetchServed(server, 'quiet', 'env=dev')).status).toBe(404)
    await act(server, id, 'publish')
    await awaitDelivery(dev)
    expect(promptFramesOf(dev)).toEqual(['prompt.published quiet v1'])
    dev.socket.close()
  })

  it('a move, and the deletion of a workspace, are announced in both places', async () => {
    const { body } = await server.call('POST /api/workspaces', { body: { name: 'Short' } })
    const { id } = await makePrompt(server, {
      key: 'moved',
      content: 'x',
      env: 'test',
      workspace_id: 'short',
    })
    const there = await connectApp(server, 'client=node-sdk&namespace=test&workspace=blue&app=a')
    const home = await connectApp(server, 'client=node-sdk&namespace=test&app=a')
    await edit(server, id, { workspace_id: 'blue' })
    await edit(server, id, { workspace_id: 'short' })
    await server.call(`DELETE /api/workspaces/${body.data.id}`)
    await Promise.all([there, home].map(awaitDelivery))
    expect(promptFramesOf(there)).toEqual(['prompt.created moved v1', 'prompt.deleted moved v1'])
    expect(promptFramesOf(home)).toEqual(['prompt.created moved v1'])
    expect((await fetchServed(server, 'moved', 'env=test')).body.version).toBe('v1')
    for (const peer of [there, home]) peer.socket.close()
  })

  it('a killed client that reconnects with since_seq gets the missed frames, also over a restart', async () => {
    const { id } = await makePrompt(server, { key: 'missed', content: 'one', env: 'prod' })
    const first = await connectApp(server, 'client=node-sdk&namespace=prod&app=a')
    await edit(server, id, { content: 'two' })
    await act(server, id, 'publish')
    await awaitDelivery(first)
    const { seq } = first.frames.at(-1)
    first.socket.terminate()
    await edit(server, id, { content: 'three' })
    await act(server, id, 'publish')
    await server.restart()
    await edit(server, id, { content: 'four' })
    await act(server, id, 'publish')
    const again = await connectApp(server, `client=node-sdk&namespace=prod&app=a&since_seq=${seq}`)
    await expect
      .poll(() => promptFramesOf(again))
      .toEqual(['prompt.published missed v3', 'prompt.published missed v4'])
    const ahead = await connectApp(server, 'client=node-sdk&namespace=prod&app=a&since_seq=999999')
    expect(await ahead.next()).toMatchObject({ type: 'resync' })
    for (const peer of [again, ahead]) peer.socket.close()
  })
})

describe('a client written for PromptOps', () => {
  it('works unchanged: token sign-in, create, fetch, socket with the token in the URL', async () => {
    const token = server.config.serviceToken ?? ''
    const login = await server.call('POST /api/login', { token: null, body: { token } })
    expect([login.status, login.body.token]).toEqual([200, token])
    const url = `${server.url.replace('http', 'ws')}/ws?token=${token}&client=node-sdk&namespace=prod&app=x`
    const peer = await connect(url)
    expect(await peer.next()).toMatchObject({ type: 'hello' })
    const body = { key: 'ops/greet', name: 'Greet', content: 'Hello {{name}}', env: 'prod', model: 'gpt-4o' }
    const created = await server.call('POST /api/prompts', { body })
    expect([created.status, created.body.data.version]).toEqual([201, 'v1'])
    const fetched = await fetchServed(server, 'ops/greet')
    expect(fetched.body).toEqual({
      key: 'ops/greet',
      version: 'v1',
      env: 'prod',
      model: 'gpt-4o',
      content: 'Hello {{name}}',
      variables: [expect.objectContaining({ name: 'name' })],
      type: 'text',
      messages: null,
      params: {},
      etag: fetched.headers.get('etag'),
    })
    const put = await server.call(`PUT /api/prompts/${created.body.data.id}`, {
      body: { ...body, content: 'Hi' },
    })
    expect(put.status).toBe(200)
    await server.call('POST /api/prompts/publish', { body: { id: created.body.data.id } })
    await server.call('POST /api/prompts/rollback', { body: { id: created.body.data.id, version: 'v1' } })
    await awaitDelivery(peer)
    expect(promptFramesOf(peer)).toEqual([
      'prompt.created ops/greet v1',
      'prompt.published ops/greet v2',
      'prompt.rolled_back ops/greet v3',
    ])
    peer.socket.close()
  })
})

describe('the fetch by an app', () => {
  it('returns 304 until a publish, and never a draft', async () => {
    const { id } = await makePrompt(server, { key: 'cached', content: 'one', env: 'prod' })
    const etag = (await fetchServed(server, 'cached')).headers.get('etag') ?? ''
    const again = () =>
      server.call('GET /api/sdk/prompts/cached?env=prod', { headers: { 'if-none-match': etag } })
    expect([(await again()).status, (await again()).text]).toEqual([304, ''])
    await edit(server, id, { content: 'two' })
    expect((await again()).status).toBe(304)
    await act(server, id, 'publish')
    expect((await again()).body).toMatchObject({ content: 'two', version: 'v2' })
    expect((await again()).headers.get('cache-control')).toBe('private, no-cache')
  })
  it.each([
    ['an unknown key', 'GET /api/sdk/prompts/nothing', 404],
    ['an unknown workspace', 'GET /api/sdk/prompts/cached?workspace=nowhere', 404],
    ['an invalid key', 'GET /api/sdk/prompts/a%2F%2Fb', 404],
    ['an unknown environment', 'GET /api/sdk/prompts/cached?env=moon', 404],
    ['an unknown parameter', 'GET /api/sdk/prompts/cached?version=v1', 422],
  ])('is refused for %s', async (_name, call, status) => {
    expect((await server.call(call)).status).toBe(status)
  })
  it('prefetches all served prompts, page by page', async () => {
    for (const key of ['w/1', 'w/2', 'w/3'])
      await makePrompt(server, { key, content: key, env: 'test', workspace_id: 'blue' })
    await makePrompt(server, { key: 'w/4', content: 'x', env: 'test', workspace_id: 'blue', draft: true })
    const first = await server.call('GET /api/sdk/prompts?env=test&workspace=blue&limit=2')
    expect(first.body.total).toBe(3)
    expect(first.body.data.map((prompt: { key: string }) => prompt.key)).toEqual(['w/1', 'w/2'])
    expect(first.body.data[0]).toEqual((await fetchServed(server, 'w/1', 'env=test&workspace=blue')).body)
    const second = await server.call(
      `GET /api/sdk/prompts?env=test&workspace=blue&limit=2&cursor=${first.body.next_cursor}`,
    )
    expect(second.body).toMatchObject({ data: [{ key: 'w/3' }], next_cursor: null })
    const etag = String(second.headers.get('etag'))
    const same = await server.call(
      `GET /api/sdk/prompts?env=test&workspace=blue&limit=2&cursor=${first.body.next_cursor}`,
      { headers: { 'if-none-match': etag } },
    )
    expect(same.status).toBe(304)
  })
})
