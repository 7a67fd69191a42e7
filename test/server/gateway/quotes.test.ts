import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../../support/model-server/scripted.ts'
import { type GatewayTest, providerKey, startGateway } from './gateway-support.ts'

// Providers that repeat in their replies what the caller sent.

let gateway: GatewayTest
let scripted: ScriptedServer
beforeAll(async () => {
  gateway = await startGateway()
  scripted = await startScriptedServer()
})
afterAll(async () => {
  await gateway.close()
  await scripted.close()
})
beforeEach(() => gateway.models.reset())

const secret = 'The zebra carries a "brass" lantern\nthrough 17 fields.'
const chat = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: secret }] }
const call = (headers = {}) => gateway.call('openai/v1/chat/completions', chat, { headers })

const runOfCall = async (reply: Response) => {
  await reply.text()
  return gateway.run(reply.headers.get('promptdeck-run-id'))
}

describe.each(['off', 'redacted'])('an error that quotes the input, with the capture %s,', (capture) => {
  beforeAll(() => gateway.server.call('PATCH /api/settings', { body: { capture } }))
  afterAll(() => gateway.server.call('PATCH /api/settings', { body: { capture: 'off' } }))

  it.each([
    ['whole', `Refused: ${secret}`, 'Refused: [text]'],
    [
      'in part',
      `Invalid value: '${secret.slice(4, 32)}…' in messages`,
      "Invalid value: '[text]…' in messages",
    ],
    ['as JSON', `Cannot read ${JSON.stringify(secret)}.`, 'Cannot read "[text]".'],
  ])('%s is stored without the quote', async (_name, message, stored) => {
    gateway.models.plan({ status: 400, message })
    const reply = await call()
    expect((await reply.clone().json()).error.message).toBe(message)
    const state = capture === 'off' ? 'off' : 'captured'
    expect(await runOfCall(reply)).toMatchObject({ error: `bad_request: ${stored}`, content_state: state })
  })

  it('keeps names of models and of fields', async () => {
    const message = 'The model gpt-4o-mini does not support messages.0.content'
    gateway.models.plan({ status: 400, message })
    expect(await runOfCall(await call())).toMatchObject({ error: `bad_request: ${message}` })
  })
})

describe('an error that quotes the input', () => {
  it('is stored unchanged with the input while capture is full', async () => {
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'full' } })
    gateway.models.plan({ status: 400, message: 'Refused: The zebra carries' })
    const run = await runOfCall(await call())
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'off' } })
    expect(run).toMatchObject({ error: 'bad_request: Refused: The zebra carries' })
  })
})

describe('a reported error', () => {
  const reported = { provider: 'openai', model: 'gpt-4o', status: 'error', latency_ms: 1 } as const
  const errorOf = async (error: string, content: object) => {
    const { body } = await gateway.server.call('POST /api/runs', { body: { ...reported, error, ...content } })
    return (await gateway.server.call(`GET /api/runs/${body.data.id}`)).body.data.error
  }

  it('that is the output is stored as it is', async () => {
    const error = 'The provider did not reply in time.'
    expect(await errorOf(error, { input: 'A question of a user', output: error })).toBe(error)
  })

  it('has no values of variables and no secrets while capture is redacted', async () => {
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'redacted' } })
    const input = [{ role: 'user', content: 'Write to Ann of 7 Mill Lane about her order' }]
    const error = await errorOf('Ann: the text "7 Mill Lane about her" and password=swordfish for Edda', {
      input,
      variables: { name: 'Edda', place: '7 Mill Lane' },
    })
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'off' } })
    expect(error).toBe('Ann: the text "[text]" and password=[secret] for {{name}}')
  })

  it('of repeated characters does not stop the service: the whole error counts as a quote', async () => {
    expect(await errorOf('ab'.repeat(4096), { input: `${'ab'.repeat(200_000)}c` })).toBe('[text]')
  })
})

describe('a reply that repeats the key', () => {
  it('has a run without the key, also in its output', async () => {
    const body = { base_url: `${scripted.url}/v1`, local: true, api_key: providerKey }
    await gateway.server.call('PATCH /api/providers/openai', { body })
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'full' } })
    const tool = { id: 'c', type: 'function', function: { name: `t ${providerKey}`, arguments: '{}' } }
    const message = { role: 'assistant', content: `The key is ${providerKey}`, tool_calls: [tool] }
    const completion = {
      object: 'chat.completion',
      id: `id-${providerKey}`,
      model: `m ${providerKey}`,
      choices: [{ index: 0, message, finish_reason: providerKey }],
    }
    scripted.reply('echo', {
      status: 200,
      headers: ['content-type', 'application/json', 'x-request-id', `req-${providerKey}`],
      chunks: [Buffer.from(JSON.stringify(completion))],
    })
    const run = await runOfCall(await call({ 'x-case': 'echo' }))
    expect(run).toMatchObject({
      response_id: 'id-[key]',
      provider_request_id: 'req-[key]',
      response_model: 'm [key]',
      finish_reason: '[key]',
      tool_names: ['t [key]'],
      content_state: 'captured',
    })
    expect(run['output']).toContain('The key is [key]')
  })
})

describe('the data folder', () => {
  it('has no file with the key', async () => {
    await gateway.server.stop()
    const files = await readdir(gateway.server.dataDir, { recursive: true, withFileTypes: true })
    for (const file of files.filter((each) => each.isFile())) {
      const text = (await readFile(join(file.parentPath, file.name))).toString('latin1')
      expect(text.includes(providerKey), file.name).toBe(false)
    }
  })
})
