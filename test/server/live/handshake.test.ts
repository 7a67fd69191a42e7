import { afterEach, describe, expect, it } from 'vitest'
import { fail } from '../../../server/lib/fail.ts'
import { connect, identity, type LiveService, refused, startLive } from './live-support.ts'

let live: LiveService
afterEach(() => live.close())

const ann = { authorization: 'Bearer ann' }

describe('the hello', () => {
  it('is sent to a client with its token in the header', async () => {
    live = await startLive()
    const peer = await live.open('', ann)
    const [client] = live.hub.clients({ includeDisconnected: false })
    expect(await peer.next()).toEqual({ type: 'hello', client_id: client?.id, seq: 0, heartbeat_s: 25 })
  })

  it('is sent to an existing SDK with token and names in the URL, without its own hello', async () => {
    live = await startLive()
    const peer = await live.open('?token=ann&client=node-sdk&namespace=prod&app=checkout')
    expect(await peer.next()).toMatchObject({ type: 'hello' })
    expect(live.hub.clients({ includeDisconnected: false })).toMatchObject([
      { client_type: 'node-sdk', namespace: 'prod', app: 'checkout', workspace: 'default', username: 'ann' },
    ])
  })

  it('is sent to a browser with its token in the first frame', async () => {
    live = await startLive()
    const peer = await live.open('?client=browser')
    expect(live.hub.clients({ includeDisconnected: false })).toEqual([])
    peer.send({
      type: 'hello',
      token: 'ann',
      namespace: '*',
      app: 'console',
      instance_id: 'tab-1',
      sdk_version: '1.2',
      keys: ['greet'],
    })
    expect(await peer.next()).toMatchObject({ type: 'hello', seq: 0 })
    expect(live.hub.clients({ includeDisconnected: false })).toMatchObject([
      {
        client_type: 'browser',
        namespace: '*',
        app: 'console',
        instance_id: 'tab-1',
        sdk_version: '1.2',
        keys: ['greet'],
      },
    ])
  })

  it('is sent once, even if the client sends a hello after its header was sufficient', async () => {
    live = await startLive({ limits: { helloGraceMs: 1000 } })
    const peer = await live.open('?app=from-url&namespace=dev', ann)
    peer.send({ type: 'hello', app: 'from-hello', token: 'ignored' })
    expect(await peer.next()).toMatchObject({ type: 'hello' })
    await live.hub.close()
    await peer.closed
    expect(peer.frames).toHaveLength(1)
    expect(live.hub.clients({ includeDisconnected: true })).toMatchObject([
      { app: 'from-hello', namespace: 'dev' },
    ])
  })

  it('contains the number after which all frames follow', async () => {
    live = await startLive()
    live.announce({ type: 'changed', seq: 41, entity: 'user', id: 'u' })
    const peer = await live.open('', ann)
    expect(await peer.next()).toMatchObject({ type: 'hello', seq: 41 })
  })
})

describe('the listed client', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'
  it.each([
    ['the type that it sends', '?client=java-sdk', chrome, 'java-sdk', undefined],
    ['a browser, by its user agent', '', chrome, 'browser', undefined],
    ['a Python SDK, by its user agent', '', 'Python/3.12 websockets/12.0', 'python-sdk', undefined],
    ['a Java SDK, by its user agent', '', 'Java-http-client/21', 'java-sdk', undefined],
    ['a Node SDK without any information', '', 'ws', 'node-sdk', undefined],
    [
      'the most likely type if the sent one is unknown',
      '?client=python',
      'x',
      'python-sdk',
      /client type "python"/,
    ],
  ])('%s', async (_, query, userAgent, type, warning) => {
    live = await startLive()
    const peer = await live.open(query, { ...ann, 'user-agent': userAgent })
    const hello = await peer.next()
    if (warning === undefined) expect(hello).not.toHaveProperty('warning')
    else expect(hello.warning).toMatch(warning)
    expect(live.hub.clients({ includeDisconnected: false })).toMatchObject([
      { client_type: type, user_agent: userAgent },
    ])
  })

  it.each([
    ['an unusual namespace', '?namespace=staging', { namespace: 'staging' }, /environment "staging"/],
    ['an unknown workspace', '?workspace=nowhere', { workspace: 'nowhere' }, /Workspace "nowhere" not found/],
  ])('%s is accepted, listed and warned about', async (_, query, listed, warning) => {
    live = await startLive()
    const peer = await live.open(query, ann)
    expect((await peer.next()).warning).toMatch(warning)
    expect(live.hub.clients({ includeDisconnected: false })).toMatchObject([listed])
  })

  it('a workspace by its id or its slug', async () => {
    live = await startLive()
    await live.openReady('?workspace=w-1')
    await live.openReady('?workspace=team')
    expect(live.hub.clients({ includeDisconnected: false }).map((client) => client.workspace)).toEqual([
      'team',
      'team',
    ])
  })

  it('has names without invisible characters', async () => {
    live = await startLive()
    await live.openReady(`?app=${encodeURIComponent('shop\n\u202Eevil')}`)
    expect(live.hub.clients({ includeDisconnected: false })[0]?.app).toBe('shop\\n\\u{202E}evil')
  })
})

describe('an upgrade is refused', () => {
  it.each([
    ['with an invalid token', '', { authorization: 'Bearer nobody' }, 401, 'auth.invalid_token'],
    ['with an invalid token in the URL', '?token=nobody', {}, 401, 'auth.invalid_token'],
    ['with a name that is too long', `?app=${'a'.repeat(129)}`, ann, 422, 'request.invalid'],
    ['with a since_seq that is not a number', '?since_seq=x', ann, 422, 'request.invalid'],
  ])('%s', async (_, query, headers, status, code) => {
    live = await startLive()
    const refusal = await refused(live.open(query, headers as Record<string, string>))
    expect(refusal).toMatchObject({ status, body: { code, status, request_id: expect.any(String) } })
    expect(refusal.headers['content-type']).toMatch(/^application\/problem\+json/)
    if (status === 401) expect(refusal.headers['www-authenticate']).toBe('Bearer')
    expect(live.hub.count()).toBe(0)
  })

  it('at any path but /ws', async () => {
    live = await startLive()
    expect(await refused(connect(live.url.replace('/ws', '/other'), ann))).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
  })

  it('by the guard before anything else is checked', async () => {
    live = await startLive({ refuse: () => fail('request.misdirected') })
    expect(await refused(live.open('', ann))).toMatchObject({
      status: 421,
      body: { code: 'request.misdirected' },
    })
    expect(live.lookups.count).toBe(0)
  })

  it('for a user who must choose a new password first', async () => {
    live = await startLive()
    live.identities.set('ann', identity('ann', { isBlocked: true, mustChangePassword: true }))
    expect(await refused(live.open('', ann))).toMatchObject({
      status: 403,
      body: { code: 'auth.password_change_required' },
    })
  })

  it('with a token in the URL behind a proxy, unless that is allowed', async () => {
    live = await startLive()
    const forwarded = { 'x-forwarded-for': '192.0.2.1' }
    const refusal = await refused(live.open('?token=ann', forwarded))
    expect(refusal).toMatchObject({ status: 401, body: { code: 'auth.required' } })
    expect(refusal.body.detail).toMatch(/ALLOW_URL_TOKEN/)
    expect(JSON.stringify(refusal.body)).not.toContain('token=ann')
    await live.close()
    live = await startLive({ config: { trustedProxies: [], allowUrlToken: true } })
    expect(await (await live.open('?token=ann', forwarded)).next()).toMatchObject({ type: 'hello' })
  })

  it('if too many are unauthenticated, but not with a token', async () => {
    live = await startLive({ limits: { maxUnidentified: 1 } })
    await live.open()
    expect(await refused(live.open())).toMatchObject({ status: 429, body: { retry_after: 5 } })
    expect(await (await live.open('', ann)).next()).toMatchObject({ type: 'hello' })
  })
})

describe('a socket without credentials is closed 4401', () => {
  it('when no hello arrives in time', async () => {
    live = await startLive({ limits: { helloMs: 20 } })
    expect(await (await live.open()).closed).toMatchObject({
      code: 4401,
      reason: expect.stringMatching(/No hello/),
    })
  })

  it.each([
    ['a hello without a token', { type: 'hello' }],
    ['an invalid token', { type: 'hello', token: 'nobody' }],
    ['another frame before the hello', { type: 'subscribe', keys: ['greet'] }],
  ])('after %s', async (_, frame) => {
    live = await startLive()
    const peer = await live.open()
    peer.send(frame)
    expect(await peer.closed).toMatchObject({ code: 4401 })
    expect(peer.frames).toEqual([])
    expect(live.hub.clients({ includeDisconnected: true })).toEqual([])
  })

  it('when the user must choose a new password first', async () => {
    live = await startLive()
    live.identities.set('ann', identity('ann', { isBlocked: true }))
    const peer = await live.open()
    peer.send({ type: 'hello', token: 'ann' })
    expect(await peer.closed).toMatchObject({
      code: 4401,
      reason: expect.stringMatching(/[Pp]assword change required/),
    })
  })
})
