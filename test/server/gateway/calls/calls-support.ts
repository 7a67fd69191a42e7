import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type GatewayTest, startGateway } from '../gateway-support.ts'

export let gateway: GatewayTest

/** The path of chat completions. */
export const chat = '/gateway/openai/v1/chat/completions'

/** The body of a chat completion. */
export const hello = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi world' }] }

type Options = {
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly method?: string
  readonly signal?: AbortSignal
}

/** Sends a request to the gateway, by default a chat completion. */
export function call(
  path: string = chat,
  { token = gateway.token, headers, body = hello, method, signal }: Options = {},
) {
  const isRead = method === 'GET'
  return fetch(`${gateway.server.url}${path}`, {
    method: method ?? 'POST',
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      ...headers,
    },
    ...(!isRead && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

/** Returns the id of the run of a call, or null if it has none. */
export const idOf = (reply: Response): string | null => reply.headers.get('promptdeck-run-id')

export const totalOf = async (query = ''): Promise<number> =>
  (await gateway.server.call(`GET /api/runs?limit=1${query}`)).body.total

/** Starts a gateway with a small limit of bodies before the tests of the calling file and closes it after them. */
export function setUpGateway(): void {
  beforeAll(async () => {
    gateway = await startGateway({
      env: { GATEWAY_BODY_MB: '1', ALLOWED_ORIGINS: 'https://app.example.com' },
    })
  })
  afterAll(() => gateway.close())
  beforeEach(() => gateway.models.reset())
}
