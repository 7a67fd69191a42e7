import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { endpoints } from '../../../contract/index.ts'
import { server, setUpService } from '../file-service.ts'

setUpService(async () => {
  const body = { key: 'billing/refund', env: 'prod', model: 'gpt-4o', content: 'Hello' }
  expect((await server.call('POST /api/prompts', { body })).status).toBe(201)
})

/** Sends a request line as it is, and returns the status, the headers and the body of the reply. */
async function raw(line: string, more = '') {
  const { port, hostname, host } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const authorization = `Authorization: Bearer ${server.config.serviceToken}\r\n`
  socket.write(
    `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${authorization}${more}${more.endsWith('\r\n') || more === '' ? '\r\n' : ''}`,
  )
  await once(socket, 'close')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body }
}

describe('a path', () => {
  it.each([
    ['/api/me', 200],
    ['/api/Me', 404],
    ['/api/me/', 404],
    ['/api/users/', 404],
    ['/api//me', 404],
    ['/api/users//sessions', 404],
    ['/api/%6De', 200],
    ['/api/user%73?limit=1', 200],
    ['/api/users%2F1', 404],
    ['/api/sdk/prompts/billing%2Frefund?env=prod', 200],
    ['/api/sdk/prompts/billing%2frefund?env=prod', 200],
    ['/api/sdk/prompts/billing/refund?env=prod', 404],
    ['/api/sdk/prompts/billing%252Frefund?env=prod', 404],
    [`/api/sdk/prompts/${'k'.repeat(512)}?env=prod`, 404],
    [`/api/users/${'k'.repeat(3000)}`, 404],
    ['/api/sdk/prompts/%E0%A4?env=prod', 404],
    ['/api/users/%zz', 404],
    ['/api/%', 404],
    ['/health/', 200],
    ['/HEALTH', 200],
  ])('%s → %i', async (path, status) => {
    const reply = await raw(`GET ${path}`)
    expect(reply.status).toBe(status)
    const isConsole = /^\/health\/|^\/HEALTH/.test(path)
    expect(reply.head).toMatch(isConsole ? /^content-type: text\/html/im : /json/)
  })

  it('of any kind is 401 for anonymous callers, except to public endpoints', async () => {
    for (const path of ['/api', '/api/nothing', '/api/me', '/api/users/', '/api/%zz', '/api/users/%E0%A4'])
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'])
        expect((await server.call(`${method} ${path}`, { token: null })).status, `${method} ${path}`).toBe(
          401,
        )
    expect((await server.call('PUT /api/login', { token: null })).status).toBe(401)
    expect((await server.call('POST /api/login', { token: null })).status).toBe(422)
  })

  it('may be absolute in the request line', async () => {
    const { host } = new URL(server.url)
    expect((await raw(`GET http://${host}/api/me?x=1`)).body).toContain('query.x')
    expect((await raw(`GET http://${host}/api/me`)).status).toBe(200)
    expect((await raw('GET http://[/api/me')).head).toMatch(
      /content-type: (?:text\/html|application\/problem)/i,
    )
    expect((await raw('OPTIONS *')).status).toBe(405)
  })
})

describe('a method that a path does not have', () => {
  const allowed = new Map<string, Set<string>>()
  for (const { path, method, alias, replyAs } of endpoints as readonly Endpoint[]) {
    const methods = allowed.get(path) ?? new Set()
    allowed.set(path, methods.add(method).add(alias ?? method))
    if (method === 'GET' && replyAs !== 'stream') methods.add('HEAD')
  }
  it('is 405 with Allow on every path, OPTIONS included', async () => {
    for (const [pattern, methods] of allowed) {
      const path = pattern.replaceAll(/:\w+/g, '1')
      for (const method of ['OPTIONS', 'PURGE']) {
        const { status, head } = await raw(`${method} ${path}`)
        expect(status, `${method} ${path}`).toBe(405)
        const allow = /^allow: (.*)$/im.exec(head)?.[1] ?? ''
        expect(new Set(allow.split(', ')), path).toEqual(methods)
      }
    }
    expect((await raw('HEAD /mcp')).head).toMatch(/^allow: GET, POST\r$/im)
  })
})

describe('a reply', () => {
  it('has an ETag only if its endpoint has one, and names no framework', async () => {
    const reply = await raw('GET /api/me')
    expect(reply.head).not.toMatch(/^etag:|^x-powered-by:/im)
    expect((await raw('GET /openapi.json')).head).not.toMatch(/^etag:/im)
    expect((await raw('GET /api/sdk/prompts/billing%2Frefund?env=prod')).head).toMatch(/^etag: "/im)
  })
  it('that is a stream of events is not compressed', async () => {
    const body = JSON.stringify({ content: 'x'.repeat(4000), variables: {}, provider: 'mock', stream: true })
    const more = `Content-Type: application/json\r\nAccept-Encoding: gzip\r\nContent-Length: ${body.length}\r\n`
    const reply = await raw('POST /api/playground/run', `${more}\r\n${body}`)
    expect(reply.head).toMatch(/^content-type: text\/event-stream/im)
    expect(reply.head).not.toMatch(/^content-encoding/im)
  })
})
