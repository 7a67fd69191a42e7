import { beforeAll, describe, expect, it } from 'vitest'
import type { Scenario } from '../../../support/scenario.ts'
import { edit, fetchServed, makePrompt } from '../prompts-support.ts'
import {
  as,
  changedFrames,
  path,
  remember,
  server,
  setUpService,
  tokens,
  watcher,
} from './changes-support.ts'

setUpService()

describe('concurrent changes of a prompt', () => {
  beforeAll(() => remember('shared', { key: 'shared', content: 'x', env: 'dev' }))
  it('the second user to save gets a conflict', async () => {
    const first = await server.call(`GET ${path('shared')}`)
    const etag = String(first.headers.get('etag'))
    expect(first.body.data.etag).toBe(etag)
    expect((await server.call(`GET ${path('shared')}`, { headers: { 'if-none-match': etag } })).status).toBe(
      304,
    )
    const save = (content: string, ifMatch: string) =>
      server.call(`PATCH ${path('shared')}`, {
        body: { content },
        headers: { 'if-match': ifMatch },
        token: tokens['editor'] ?? null,
      })
    const saved = await save('mine', etag)
    expect([saved.status, saved.headers.get('etag')]).toEqual([200, saved.body.data.etag])
    expect(saved.headers.get('etag')).not.toBe(etag)
    const { result, audit } = await watcher.during(() => save('yours', etag))
    expect([result.status, result.body.code, result.body.errors[0].path]).toEqual([
      412,
      'precondition.failed',
      'If-Match',
    ])
    expect(result.body.detail).toContain('editor')
    expect(audit).toEqual([])
    expect((await save('again', '*')).status).toBe(200)
    expect(
      (await save('and again', `"x", ${(await server.call(`GET ${path('shared')}`)).headers.get('etag')}`))
        .status,
    ).toBe(200)
    for (const what of ['publish', 'promote', 'rollback'])
      expect(
        (
          await server.call(`POST ${path('shared', `/${what}`)}`, {
            body: what === 'promote' ? { env: 'test' } : what === 'rollback' ? { version: 'v1' } : {},
            headers: { 'if-match': etag },
          })
        ).status,
      ).toBe(412)
    expect((await server.call(`DELETE ${path('shared')}`, { headers: { 'if-match': etag } })).status).toBe(
      412,
    )
  })
  it('ten concurrent creations of the same key create one', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () =>
        server.call('POST /api/prompts', { body: { key: 'race', content: 'x' } }),
      ),
    )
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([201, ...Array(9).fill(409)])
  })
  it('ten concurrent publishes create one version', async () => {
    const { id } = await makePrompt(server, { key: 'race-2', content: 'x' })
    await edit(server, id, { content: 'y' })
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => server.call(`POST /api/prompts/${id}/publish`)),
    )
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
    expect((await server.call(`GET /api/prompts/${id}`)).body.data.version).toBe('v2')
  })
  it('a repetition with one Idempotency-Key has no second effect and returns the ETag', async () => {
    const { id } = await makePrompt(server, { key: 'once', content: 'x' })
    await edit(server, id, { content: 'y' })
    const publish = () =>
      server.call(`POST /api/prompts/${id}/publish`, {
        body: { message: 'm' },
        headers: { 'idempotency-key': 'p1' },
      })
    const [first, second] = [await publish(), await publish()]
    expect([second.status, second.text, second.headers.get('etag')]).toEqual([
      200,
      first.text,
      first.headers.get('etag'),
    ])
    expect(first.body.data.version).toBe('v2')
  })
})

describe('the trash', () => {
  beforeAll(() => remember('gone', { key: 'gone', content: 'x', env: 'prod' }))
  it.each<Scenario>([
    {
      name: 'a viewer may not delete',
      call: () => `DELETE ${path('gone')}`,
      token: as('viewer'),
      status: 403,
    },
    {
      name: 'delete',
      call: () => `DELETE ${path('gone')}`,
      token: as('editor'),
      status: 200,
      reply: { ok: true },
      audit: ['editor delete prompt gone'],
      frames: changedFrames,
    },
    {
      name: 'reading it is 404',
      call: () => `GET ${path('gone')}`,
      status: 404,
      reply: { code: 'not_found' },
    },
    { name: 'fetching it as an app is 404', call: 'GET /api/sdk/prompts/gone?env=prod', status: 404 },
    { name: 'publishing it is 404', call: () => `POST ${path('gone', '/publish')}`, status: 404 },
    { name: 'deleting it again is 404', call: () => `DELETE ${path('gone')}`, status: 404 },
    {
      name: 'restore',
      call: () => `POST ${path('gone', '/restore')}`,
      token: as('editor'),
      status: 200,
      reply: { data: { key: 'gone', version: 'v1', deleted_at: null } },
      audit: ['editor restore prompt gone'],
      frames: changedFrames,
    },
    {
      name: 'restoring a prompt that is not deleted is 404',
      call: () => `POST ${path('gone', '/restore')}`,
      status: 404,
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it('shows what can be restored and until when, and a used key prevents a restore', async () => {
    await server.call(`DELETE ${path('gone')}`)
    const { body } = await server.call('GET /api/prompts?include=deleted&q=gone')
    const [row] = body.data
    expect(Date.parse(row.restorable_until) - Date.parse(row.deleted_at)).toBe(30 * 24 * 3_600_000)
    await makePrompt(server, { key: 'gone', content: 'another', env: 'prod' })
    const reply = await server.call(`POST ${path('gone', '/restore')}`)
    expect([reply.status, reply.body.code]).toEqual([409, 'prompt.key_taken'])
    expect((await fetchServed(server, 'gone')).body.content).toBe('another')
  })
})
