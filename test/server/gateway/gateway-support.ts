import { expect, vi } from 'vitest'
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/service.ts'

/** The key of the providers, which nothing but a provider may see. */
export const providerKey = 'sk-canary-provider-0123456789abcdefghij'

export type GatewayTest = {
  readonly server: TestServer
  readonly models: ModelServer
  /** An API token that may use the gateway. */
  readonly token: string
  /** Creates an API token. */
  createToken(
    body: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly token: string }>
  /** Sends a request to a path below `/gateway/`. `token`: by default `token`. */
  call(
    path: string,
    body: object,
    options?: { readonly token?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>
  /** Returns the run of a call, when it is stored. */
  run(callId: string | null): Promise<Record<string, unknown>>
  close(): Promise<void>
}

/** Estimating tokens starts a thread, which takes a while on a busy machine. */
const runLimitMs = 20_000

/** Returns the run of a call, when it is stored. */
export const runOf = (server: TestServer, callId: string | null): Promise<Record<string, unknown>> =>
  vi.waitFor(async () => {
    const reply = await server.call(`GET /api/runs/${callId}`)
    expect(reply.status).toBe(200)
    return reply.body.data
  }, runLimitMs)

/** Addresses of the built-in providers at the local server, by name. */
const bases = { openai: '/v1', claude: '/v1', gemini: '/v1beta', ollama: '' } as const

/** Starts the service and a model server, and configures all providers to use that server. */
export async function startGateway(options: TestServerOptions = {}): Promise<GatewayTest> {
  const models = await startModelServer({ key: providerKey })
  const server = await startTestServer(options)
  for (const [name, base] of Object.entries(bases)) {
    const key = name === 'ollama' ? {} : { api_key: providerKey }
    const body = { base_url: `${models.url}${base}`, local: true, enabled: true, ...key }
    expect(await server.call(`PATCH /api/providers/${name}`, { body })).toMatchObject({ status: 200 })
  }
  const createToken: GatewayTest['createToken'] = async (body) => {
    const reply = await server.call('POST /api/tokens', { body: { name: 'app', ...body } })
    expect(reply).toMatchObject({ status: 201 })
    return reply.body.data
  }
  const { token } = await createToken({ name: 'gateway app', gateway: true })
  return {
    server,
    models,
    token,
    createToken,
    call: (path, body, options = {}) =>
      fetch(`${server.url}/gateway/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${options.token ?? token}`,
          'content-type': 'application/json',
          'anthropic-version': '2023-06-01',
          ...options.headers,
        },
        body: JSON.stringify(body),
      }),
    run: (callId) => runOf(server, callId),
    async close() {
      await server.close()
      await models.close()
    },
  }
}
