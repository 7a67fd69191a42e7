import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { endpoints } from '../../../contract/index.ts'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { app, asked, paired, password } from './pairing-support.ts'

let server: LanServer
beforeAll(async () => {
  server = await startLanServer({ keepAlive: true })
})
afterAll(() => server.close())

/** The only routes of the API that a network client without a token reaches. */
const open = ['GET /api/pair', 'POST /api/pair', 'GET /api/pair/:id']
const routes = endpoints.flatMap((endpoint) =>
  (endpoint.alias ? [endpoint.method, endpoint.alias] : [endpoint.method]).map(
    (method) => `${method} ${endpoint.path}`,
  ),
)
const withIds = (route: string) => route.replace(/:\w+/g, '019aa5b2-0000-7000-8000-000000000000')
const bodyOf = (route: string) => (/^(POST|PATCH|PUT)/.test(route) ? { body: {} } : {})

describe('an unpaired device on the network', () => {
  it.each(routes.filter((route) => !open.includes(route)))('is refused at %s', async (route) => {
    const { status } = await server.lan(withIds(route), bodyOf(route))
    expect(status).toBe(401)
  })

  it.each(routes.filter((route) => !open.includes(route)))(
    'with an invented token is refused at %s',
    async (route) => {
      for (const token of ['pd_api_invented', 'pd_dev_invented', 'a.b.c'])
        expect((await server.lan(withIds(route), { token, ...bodyOf(route) })).status).toBe(401)
    },
  )

  it.each([
    '/api',
    '/api/',
    '/api/nothing',
    '/api/pair/x/y',
    '/api/pairing/none',
    '/ready',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/ws',
  ])('is refused at %s', async (path) => {
    expect((await server.lan(`GET ${path}`)).status).toBe(401)
  })

  it('reaches the pairing page, its assets and /health, without facts about credentials', async () => {
    const page = await server.lan('GET /pair')
    expect(page.status).toBe(200)
    const asset = /src="(\/assets\/[^"]+)"/.exec(page.text)?.[1]
    expect((await server.lan(`GET ${asset}`)).status).toBe(200)
    const health = await server.lan('GET /health')
    expect(health.body).toMatchObject({ ok: true })
    expect(health.body.defaults).toBeUndefined()
    expect((await server.call('GET /health')).body.defaults).toBeDefined()
  })

  it('receives the name of the service and the words, and nothing else', async () => {
    const { body } = await server.lan('GET /api/pair')
    expect(Object.keys(body.data)).toEqual(['name', 'fingerprint', 'words'])
  })

  it('cannot sign in, whether the password is right or wrong', async () => {
    const user = await server.signedIn('viewer', 'roamer')
    for (const given of [user.password, 'wrong']) {
      const reply = await server.lan('POST /api/login', { body: { username: 'roamer', password: given } })
      expect({ status: reply.status, code: reply.body.code }).toEqual({
        status: 401,
        code: 'auth.device_required',
      })
    }
    const bearer = { username: 'roamer', password: user.password }
    expect((await server.lan('POST /api/login', { token: 'invented', body: bearer })).status).toBe(401)
    const { total } = (await server.call('GET /api/audit?resource=session&key=roamer&action=login_failed'))
      .body
    expect(total).toBe(0)
  })

  it('may sign in with a password if the setting allows it', async () => {
    const user = await server.signedIn('viewer', 'allowed')
    const body = { username: 'allowed', password: user.password }
    await server.call('PATCH /api/settings', { body: { lan_password_sign_in: true } })
    expect((await server.lan('POST /api/login', { body })).status).toBe(200)
    await server.call('PATCH /api/settings', { body: { lan_password_sign_in: false } })
    expect((await server.lan('POST /api/login', { body })).status).toBe(401)
  })

  it.each([
    ['without a token', {}, []],
    ['with an invented token', { authorization: 'Bearer invented' }, []],
    ['with an invented token as a protocol', {}, ['promptdeck', 'promptdeck.token.invented']],
    ['with an invented token in the URL', {}, [], '?token=invented'],
  ])('gets no live connection %s', async (_name, headers, protocols, query = '') => {
    const socket = new WebSocket(`${server.lanUrl.replace('https', 'wss')}/ws${query}`, protocols, {
      headers,
      rejectUnauthorized: false,
    })
    const [, response] = await once(socket, 'unexpected-response')
    expect(response.statusCode).toBe(401)
    socket.on('error', () => undefined)
    socket.terminate()
  })
})

describe('a paired device on the network', () => {
  it('reaches everything with its session, and a live connection with its token as a protocol', async () => {
    const { token } = await paired(server, { username: 'insider', name: 'Insider' }, { role: 'viewer' })
    for (const path of ['/api/me', '/api/prompts', '/api/runs', '/openapi.json', '/docs'])
      expect((await server.lan(`GET ${path}`, { token })).status, path).toBe(200)
    expect((await server.lan('GET /api/users', { token })).status).toBe(403)
    const url = `${server.lanUrl.replace('https', 'wss')}/ws?client=browser&namespace=*`
    const protocols = ['promptdeck', `promptdeck.token.${token}`]
    const socket = new WebSocket(url, protocols, { rejectUnauthorized: false })
    const [data] = await once(socket, 'message')
    expect(JSON.parse(String(data))).toMatchObject({ type: 'hello' })
    expect(socket.protocol).toBe('promptdeck')
    socket.close()
  })

  it('as an app reaches everything of its role with its API token', async () => {
    const { token } = await paired(server, app('sdk', 'inside app'), { role: 'viewer' })
    expect((await server.lan('GET /api/runs', { token })).status).toBe(200)
  })

  it('signs in again with its device token in the header', async () => {
    const { device_token = '' } = await paired(
      server,
      { username: 'again', name: 'Again' },
      { role: 'viewer' },
    )
    const reply = await server.lan('POST /api/login', {
      headers: { 'promptdeck-device': device_token },
      body: { username: 'again', password },
    })
    expect(reply.status).toBe(200)
  })
})

describe('the loopback listener', () => {
  it.each(open)('has no %s', async (route) => {
    for (const token of [null, undefined]) {
      const reply = await server.call(withIds(route), { ...(token === null && { token }), ...bodyOf(route) })
      expect({ status: reply.status, code: reply.body.code }).toEqual({ status: 404, code: 'not_found' })
    }
  })

  it('has none of the state of a request either', async () => {
    const request = await asked(server, { username: 'lost', name: 'Lost' })
    const headers = { 'promptdeck-pairing': request.request_secret }
    expect((await server.call(`GET /api/pair/${request.request_id}`, { token: null, headers })).status).toBe(
      404,
    )
  })

  it('still signs in without a device, and accepts a token in the first frame', async () => {
    const user = await server.signedIn('viewer', 'local')
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`)
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'hello', token: user.token, namespace: '*' }))
    const [data] = await once(socket, 'message')
    expect(JSON.parse(String(data))).toMatchObject({ type: 'hello' })
    socket.close()
  })
})
