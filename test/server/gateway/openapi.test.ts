import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mcp } from '../../../contract/system/mcp.ts'
import { telemetryEndpoints } from '../../../contract/telemetry/telemetry.ts'
import { bare } from '../../support/bare.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'
import { existingGatewayRoutes as gatewayRoutes } from '../auth/authorization-rules.ts'

type Reply = {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content: Readonly<Record<string, unknown>>
}
type Operation = {
  readonly operationId: string
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly requestBody?: { readonly description: string; readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<Record<string, Reply>>
}
type Scheme =
  | { readonly type: 'http'; readonly scheme: 'bearer' }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string }
type Document = {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly securitySchemes: Readonly<Record<string, Scheme>> }
}

const otherRoutes = [...telemetryEndpoints, ...Object.values(mcp)].map(
  ({ method, path }) => `${method} ${path}`,
)
const routes = [...gatewayRoutes, ...otherRoutes]
const routesWithBody = routes.filter((route) => route.startsWith('POST '))

let server: TestServer
/** Allows one request a minute. */
let throttled: TestServer
let document: Document
beforeAll(async () => {
  server = await startTestServer({ env: { BASE_PATH: '/deck', GATEWAY_BODY_MB: '2' } })
  throttled = await startTestServer({ env: { REQUESTS_PER_MINUTE: '1' } })
  document = (await server.call('GET /deck/openapi.json', { token: null })).body
})
afterAll(async () => {
  await server.close()
  await throttled.close()
})

function operationOf(route: string): Operation {
  const [method = '', path = ''] = route.split(' ')
  const found = document.paths[path]?.[method.toLowerCase()]
  if (found === undefined) throw new Error(`${route} is not described`)
  return found
}

/** Sends a request to the address that the document describes. */
function send(to: TestServer, route: string, headers: Record<string, string> = {}, body = '') {
  const [method = '', path = ''] = route.replace('{model}', 'm').split(' ')
  const prefix = to === server ? (document.servers[0]?.url ?? '') : ''
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  return bare(to.url, `${prefix}${path}`, all, method, body)
}

const bearer = { authorization: `Bearer ${serviceToken}` }
const essence = (headers: Readonly<Record<string, unknown>>) => String(headers['content-type']).split(';')[0]
const headersOf = (scheme: Scheme | undefined): Record<string, string> =>
  scheme?.type === 'apiKey' ? { [scheme.name]: serviceToken } : bearer

/** Returns the first size in a text, in bytes. */
function sizeIn(text = ''): number {
  const [, count, unit] = /(\d+) (KiB|MiB)/.exec(text) ?? []
  return Number(count) * (unit === 'MiB' ? 1024 ** 2 : 1024)
}

describe('openapi.json of gateway, telemetry and MCP', () => {
  it('describes exactly the routes of the gateway, each with an id of its own', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      path.startsWith('/gateway/')
        ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
        : [],
    )
    expect(described.toSorted()).toEqual(gatewayRoutes.toSorted())
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  describe.each(routes)('%s', (route) => {
    it('requires a token, and accepts it in each described header', async () => {
      const { security, responses } = operationOf(route)
      const refused = await send(server, route)
      expect(refused.status).toBe(401)
      expect(Object.keys(responses['401']?.content ?? {})).toContain(essence(refused.headers))
      const names = security.flatMap((each) => Object.keys(each))
      expect(names).toEqual(
        gatewayRoutes.includes(route) ? ['bearer', 'apiKey', 'googleApiKey', 'gatewayToken'] : ['bearer'],
      )
      for (const name of names) {
        const { status } = await send(server, route, headersOf(document.components.securitySchemes[name]))
        expect({ name, status }).not.toEqual({ name, status: 401 })
      }
    })

    it('describes who may not call it, and the throttle with its headers', async () => {
      expect(operationOf(route).responses['403']?.description).toContain('`auth.forbidden`')
      const described = operationOf(route).responses['429']
      await send(throttled, route, bearer)
      const reply = await send(throttled, route, bearer)
      expect(reply.status).toBe(429)
      expect(described?.description).toContain('`rate_limited`')
      expect(Object.keys(described?.content ?? {})).toContain(essence(reply.headers))
      const names = Object.keys(described?.headers ?? {}).map((name) => name.toLowerCase())
      expect(names).toEqual(['retry-after', 'ratelimit', 'ratelimit-policy'])
      for (const name of names) expect(reply.headers).toHaveProperty(name)
    })
  })

  describe.each(routesWithBody)('%s', (route) => {
    it('describes the maximum size of a body', async () => {
      const { requestBody, responses } = operationOf(route)
      const limit = sizeIn(requestBody?.description)
      const tooLarge = await send(server, route, { ...bearer, 'content-length': String(limit + 1) })
      expect(tooLarge.status).toBe(413)
      expect(responses['413']?.description).toContain('`request.too_large`')
      expect(Object.keys(responses['413']?.content ?? {})).toContain(essence(tooLarge.headers))
      const largest = await send(server, route, bearer, '{}'.padEnd(limit))
      expect(largest.status).not.toBe(413)
    })
  })

  it('has the limit of the gateway in the configuration', () => {
    const limits = gatewayRoutes.flatMap((route) => operationOf(route).requestBody?.description ?? [])
    expect(new Set(limits)).toEqual(new Set(['At most 2 MiB (`GATEWAY_BODY_MB`)']))
  })
})
