import OpenAI from 'openai'
import { expect } from 'vitest'
import { server, setUpService as start } from '../../file-service.ts'
import { runOf } from '../gateway-support.ts'

/** A new installation: no provider has a key. */
export { server } from '../../file-service.ts'

let token = ''

/** Creates a token that may use the gateway, and returns it. */
export async function createToken(body: object): Promise<string> {
  const reply = await server.call('POST /api/tokens', { body: { gateway: true, ...body } })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data.token
}

export const client = (apiKey = token) =>
  new OpenAI({ apiKey, baseURL: `${server.url}/gateway/openai/v1`, maxRetries: 0 })

/** Returns the run that the header of a reply names. */
export const runIn = (response: Response) => runOf(server, response.headers.get('promptdeck-run-id'))

/** Sends a body as it is to the API of OpenAI. */
export const post = (path: string, body: object, headers?: Readonly<Record<string, string>>) =>
  postTo(`openai/v1/${path}`, body, headers)

/** Sends a body as it is to a path below /gateway. */
export const postTo = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}/gateway/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

export const messages = [{ role: 'user' as const, content: 'Hello there' }]

export const chat = { model: 'mock-small', messages }

/** The text of the reply to `chat`. */
export const text = 'mock completion (mock-small): Hello there'

/** Starts a service that captures all texts before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  start(async () => {
    token = await createToken({ name: 'first app' })
    await server.call('PATCH /api/settings', { body: { capture: 'full' } })
  })
