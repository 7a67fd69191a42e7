import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Watcher, watch } from '../../support/scenario.ts'
import { type Answer, startTestServer, type TestServer } from '../../support/service.ts'
import type { Peer } from '../live/live-support.ts'
import { awaitDelivery, connectApp, fetchServed, promptFramesOf } from './prompts-support.ts'

/** Every step from the creation to the deletion of a prompt creates exactly one audit entry. */
describe('a prompt from creation to the trash, with an app on dev and one on prod', () => {
  let server: TestServer
  let watcher: Watcher
  let dev: Peer
  let prod: Peer
  let id: string
  beforeAll(async () => {
    server = await startTestServer()
    watcher = await watch(server)
    dev = await connectApp(server, 'client=node-sdk&namespace=dev&app=on-dev')
    prod = await connectApp(server, 'client=node-sdk&namespace=prod&app=on-prod')
  })
  afterAll(async () => {
    for (const peer of [dev, prod]) peer.socket.close()
    await watcher.close()
    await server.close()
  })

  type Step = {
    readonly reply: Answer
    /** Prompt frames that the apps on dev and prod received. */
    readonly dev: readonly string[]
    readonly prod: readonly string[]
    readonly before: unknown
    readonly after: unknown
  }
  /** Sends one request, and returns the only audit entry that it may leave, with before and after. */
  async function step(action: string, call: string, body?: object): Promise<Step> {
    const earlier = { dev: promptFramesOf(dev).length, prod: promptFramesOf(prod).length }
    const { result: reply, audit } = await watcher.during(() =>
      server.call(call, body === undefined ? {} : { body }),
    )
    expect(audit).toEqual([`service-token ${action} prompt story`])
    await Promise.all([dev, prod].map(awaitDelivery))
    const [newest] = (await server.call('GET /api/audit?limit=1')).body.data
    const { before, after } = (await server.call(`GET /api/audit/${newest.id}`)).body.data
    const received = {
      dev: promptFramesOf(dev).slice(earlier.dev),
      prod: promptFramesOf(prod).slice(earlier.prod),
    }
    return { reply, ...received, before, after }
  }
  const served = async (env: string) => {
    const { status, body } = await fetchServed(server, 'story', `env=${env}`)
    return status === 200 ? [body.version, body.content] : status
  }
  const at = (rest = '') => `/api/prompts/${id}${rest}`

  it('create: served as v1, announced on dev only', async () => {
    const body = { key: 'story', name: 'Story', content: 'one {{a}}', env: 'dev', model: 'gpt-4o' }
    const created = await step('create', 'POST /api/prompts', body)
    id = created.reply.body.data.id
    expect(created.reply).toMatchObject({ status: 201, body: { data: { version: 'v1', has_draft: false } } })
    expect([created.dev, created.prod]).toEqual([['prompt.created story v1'], []])
    expect(created.before).toBeNull()
    expect(created.after).toMatchObject({ version: 'v1', content: 'one {{a}}' })
    expect([await served('dev'), await served('prod')]).toEqual([['v1', 'one {{a}}'], 404])
  })

  it('edit: the served version does not change, and no app is notified', async () => {
    const edited = await step('update', `PATCH ${at()}`, { content: 'two {{b}}' })
    expect(edited.reply.body.data).toMatchObject({ version: 'v1', has_draft: true, content: 'two {{b}}' })
    expect([edited.dev, edited.prod]).toEqual([[], []])
    expect([edited.before, edited.after]).toMatchObject([{ content: 'one {{a}}' }, { content: 'two {{b}}' }])
    expect(await served('dev')).toEqual(['v1', 'one {{a}}'])
  })

  it('publish: v2, announced on dev only', async () => {
    const published = await step('publish', `POST ${at('/publish')}`, { message: 'Better' })
    expect(published.reply.body.data).toMatchObject({ version: 'v2', has_draft: false })
    expect([published.dev, published.prod]).toEqual([['prompt.published story v2'], []])
    expect(published.before).toMatchObject({ version: 'v1', content: 'one {{a}}' })
    expect(published.after).toMatchObject({ version: 'v2', content: 'two {{b}}', message: 'Better' })
    expect(await served('dev')).toEqual(['v2', 'two {{b}}'])
  })

  it('roll back: the content of v1, as v3; versions are only added', async () => {
    const back = await step('rollback', `POST ${at('/rollback')}`, { version: 'v1' })
    expect(back.reply.body.data).toMatchObject({ version: 'v3', content: 'one {{a}}' })
    expect([back.dev, back.prod]).toEqual([['prompt.rolled_back story v3'], []])
    expect([back.before, back.after]).toMatchObject([
      { version: 'v2', content: 'two {{b}}' },
      { version: 'v3', content: 'one {{a}}' },
    ])
    expect(await served('dev')).toEqual(['v3', 'one {{a}}'])
    const { body } = await server.call(`GET ${at('/versions?sort=version')}`)
    expect(body.data.map((row: { version: string; content: string }) => [row.version, row.content])).toEqual([
      ['v1', 'one {{a}}'],
      ['v2', 'two {{b}}'],
      ['v3', 'one {{a}}'],
    ])
  })

  it('promote: prod has it as v1, announced on prod only', async () => {
    const promoted = await step('promote', `POST ${at('/promote')}`, { env: 'prod' })
    expect(promoted.reply.body.data).toMatchObject({ env: 'prod', version: 'v1', content: 'one {{a}}' })
    expect([promoted.dev, promoted.prod]).toEqual([[], ['prompt.created story v1']])
    expect([promoted.before, promoted.after]).toMatchObject([
      { version: null, content: null },
      { version: 'v1', content: 'one {{a}}' },
    ])
    expect([await served('dev'), await served('prod')]).toEqual([
      ['v3', 'one {{a}}'],
      ['v1', 'one {{a}}'],
    ])
  })

  it('a second promotion publishes to prod, and a stale If-Match promotes nothing', async () => {
    const { etag } = (await server.call(`GET ${at()}`)).body.data
    await step('update', `PATCH ${at()}`, { content: 'three' })
    await step('publish', `POST ${at('/publish')}`)
    const { result, audit } = await watcher.during(() =>
      server.call(`POST ${at('/promote')}`, { body: { env: 'prod' }, headers: { 'if-match': etag } }),
    )
    expect([result.status, result.body.code, audit]).toEqual([412, 'precondition.failed', []])
    expect(await served('prod')).toEqual(['v1', 'one {{a}}'])
    const promoted = await step('promote', `POST ${at('/promote')}`, { env: 'prod' })
    expect([promoted.dev, promoted.prod]).toEqual([[], ['prompt.published story v2']])
    expect([promoted.before, promoted.after]).toMatchObject([
      { version: 'v1', content: 'one {{a}}' },
      { version: 'v2', content: 'three' },
    ])
    expect(await served('prod')).toEqual(['v2', 'three'])
  })

  it('delete: removed on dev, still served on prod', async () => {
    const deleted = await step('delete', `DELETE ${at()}`)
    expect(deleted.reply.body).toEqual({ ok: true })
    expect([deleted.dev, deleted.prod]).toEqual([['prompt.deleted story v4'], []])
    expect(deleted.before).toMatchObject({ content: 'three', version: 'v4' })
    expect(deleted.after).toBeNull()
    expect([await served('dev'), await served('prod')]).toEqual([404, ['v2', 'three']])
  })

  it('every app got its own frames, in order', () => {
    expect(promptFramesOf(dev)).toEqual([
      'prompt.created story v1',
      'prompt.published story v2',
      'prompt.rolled_back story v3',
      'prompt.published story v4',
      'prompt.deleted story v4',
    ])
    expect(promptFramesOf(prod)).toEqual(['prompt.created story v1', 'prompt.published story v2'])
    for (const peer of [dev, prod]) {
      const seqs = peer.frames.map((frame) => Number(frame.seq))
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
      expect(new Set(seqs.slice(1)).size).toBe(seqs.length - 1)
    }
  })

  it('a killed client misses nothing: it gets both publishes with since_seq, or a resync', async () => {
    const { id: onProd } = (await server.call('GET /api/prompts?key=story&env=prod')).body.data[0]
    const seq = prod.frames.at(-1)?.seq
    const closed = prod.closed
    prod.socket.terminate()
    await closed
    for (const content of ['four', 'five']) {
      await server.call(`PATCH /api/prompts/${onProd}`, { body: { content } })
      await server.call(`POST /api/prompts/${onProd}/publish`)
    }
    const again = await connectApp(server, `client=node-sdk&namespace=prod&app=on-prod&since_seq=${seq}`)
    expect((await again.take(2)).map((frame) => `${frame.type} ${frame.version}`)).toEqual([
      'prompt.published v3',
      'prompt.published v4',
    ])
    const ahead = await connectApp(server, 'client=node-sdk&namespace=prod&app=on-prod&since_seq=99999999')
    expect(await ahead.next()).toMatchObject({ type: 'resync' })
    for (const peer of [again, ahead]) peer.socket.close()
  })
})
