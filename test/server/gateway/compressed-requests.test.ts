import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Arrived,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/model-server/scripted.ts'
import { type GatewayTest, providerKey, startGateway } from './gateway-support.ts'

let gateway: GatewayTest
let scripted: ScriptedServer

beforeAll(async () => {
  gateway = await startGateway({ env: { GATEWAY_BODY_MB: '1', GATEWAY_BODIES_MB: '1' } })
  scripted = await startScriptedServer()
  const provider = { base_url: `${scripted.url}/v1`, local: true, api_key: providerKey }
  const virtual = { name: 'fast', targets: [{ provider: 'openai', model: 'gpt-4o' }] }
  const prompt = { key: 'welcome', env: 'prod', model: 'gpt-4o-mini', content: 'Greet {{name}}' }
  const replies = [
    await gateway.server.call('PATCH /api/providers/openai', { body: provider }),
    await gateway.server.call('PATCH /api/settings', { body: { virtual_models: [virtual] } }),
    await gateway.server.call('POST /api/prompts', { body: prompt }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 201])
})
afterAll(async () => {
  await gateway.close()
  await scripted.close()
})

const messages = [{ role: 'user', content: 'Hi' }]

/** Sends a compressed chat completion. */
async function send(name: string, encoding: string, bytes: Uint8Array<ArrayBuffer>) {
  scripted.reply(name, {
    status: 200,
    headers: ['content-type', 'application/json'],
    chunks: [Buffer.from('{"object":"chat.completion","choices":[]}')],
  })
  const reply = await fetch(`${gateway.server.url}/gateway/openai/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.token}`,
      'content-type': 'application/json',
      'content-encoding': encoding,
      'x-case': name,
    },
    body: bytes,
  })
  await reply.text()
  return { reply, arrived: scripted.arrived.get(name) }
}

const runOf = (reply: Response) => gateway.run(reply.headers.get('promptdeck-run-id'))
const encodingOf = (arrived: Arrived | undefined) =>
  arrived?.rawHeaders.find((_, at, all) => all[at - 1]?.toLowerCase() === 'content-encoding')

describe('a compressed request', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('with %s is passed on unchanged, and its run has its fields', async (encoding, compress) => {
    const bytes = Buffer.from(compress(JSON.stringify({ model: 'gpt-4o-mini', messages, user: 'u-1' })))
    const { reply, arrived } = await send(encoding, encoding, bytes)
    expect(reply.status).toBe(200)
    expect(arrived?.body.equals(bytes)).toBe(true)
    expect(encodingOf(arrived)).toBe(encoding)
    expect(await runOf(reply)).toMatchObject({ model: 'gpt-4o-mini', end_user: 'u-1' })
  })

  it.each([
    [
      'a prompt',
      { model: 'promptdeck/welcome@prod', messages: [], promptdeck_variables: { name: 'Edda' } },
      'gpt-4o-mini',
      'Greet Edda',
    ],
    ['a virtual model', { model: 'fast', messages }, 'gpt-4o', 'Hi'],
  ])('that names %s reaches the provider without its encoding', async (name, body, model, content) => {
    const { reply, arrived } = await send(name, 'gzip', Buffer.from(gzipSync(JSON.stringify(body))))
    expect(reply.status).toBe(200)
    expect(encodingOf(arrived)).toBeUndefined()
    expect(JSON.parse(String(arrived?.body))).toMatchObject({ model, messages: [{ content }] })
    expect(await runOf(reply)).toMatchObject({ model })
  })

  it('gets a reply of the offline provider', async () => {
    const bytes = Buffer.from(gzipSync(JSON.stringify({ model: 'mock-small', messages })))
    const { reply } = await send('offline', 'gzip', bytes)
    expect(reply.status).toBe(200)
    expect(await runOf(reply)).toMatchObject({ provider: 'mock', model: 'mock-small', status: 'ok' })
  })

  it.each([
    ['is not of its encoding', 'gzip', Buffer.from('\u0001 not JSON')],
    ['expands beyond the limit', 'br', Buffer.from(brotliCompressSync(Buffer.alloc(64 * 1024 * 1024, ' ')))],
    ['has too many elements', 'gzip', gzipSync(`{"model":"gpt-4o","x":[{}${',{}'.repeat(340_000)}]}`)],
    ['has an unknown encoding', 'zstd', Buffer.from('\u0001 not JSON')],
  ])('that %s is passed on, and its run does not name the model', async (name, encoding, bytes) => {
    const { reply, arrived } = await send(name, encoding, bytes)
    expect(reply.status).toBe(200)
    expect(arrived?.body.equals(bytes)).toBe(true)
    expect(await runOf(reply)).toMatchObject({ model: 'unknown', status: 'ok' })
  })
})
