import { describe, expect, it } from 'vitest'
import { providerKey } from '../gateway-support.ts'
import { call, chat, gateway, hello, idOf, setUpGateway, totalOf } from './calls-support.ts'

setUpGateway()

describe('the run of a call', () => {
  it('has the fields that headers and body set', async () => {
    const reply = await call(chat, {
      headers: {
        'promptdeck-prompt': 'mail/reply@v3',
        'promptdeck-env': 'test',
        'promptdeck-session': 'chat-17',
        'promptdeck-tags': 'beta, eu',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
      body: { ...hello, user: 'u-1', temperature: 0.2 },
    })
    expect(await gateway.run(idOf(reply))).toMatchObject({
      source: 'gateway',
      provider: 'openai',
      model: 'gpt-4o-mini',
      ref_key: 'mail/reply',
      version: 'v3',
      env: 'test',
      session_id: 'chat-17',
      tags: ['beta', 'eu'],
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      end_user: 'u-1',
      app: 'gateway app',
      token: 'gateway app',
      params: { temperature: 0.2 },
      prompt_tokens: 11,
      output_tokens: 7,
      cost_usd: expect.any(Number),
      content_state: 'off',
      input: null,
    })
    const found = await gateway.server.call('GET /api/runs?trace_id=4bf92f3577b34da6a3ce929d0e0e4736')
    expect(found.body.total).toBe(1)
  })

  it('is found as soon as the reply has ended', async () => {
    const statuses = new Set<number>()
    for (let index = 0; index < 10; index += 1) {
      const reply = await call(chat)
      await reply.text()
      statuses.add((await gateway.server.call(`GET /api/runs/${idOf(reply)}`)).status)
    }
    expect([...statuses]).toEqual([200])
  })

  it('is in the workspace of the header, which must exist for the token, else in that of the token', async () => {
    const created = await gateway.server.call('POST /api/workspaces', { body: { name: 'Shop' } })
    const { id } = created.body.data
    const named = await call(chat, { headers: { 'promptdeck-workspace': 'shop' } })
    expect(await gateway.run(idOf(named))).toMatchObject({ workspace_id: id })
    const limited = await gateway.createToken({
      name: 'limited',
      gateway: true,
      workspace: 'shop',
      namespaces: ['prod'],
    })
    const own = await call(chat, { token: limited.token })
    expect(await gateway.run(idOf(own))).toMatchObject({ workspace_id: id, env: 'prod' })
    const listed = await gateway.createToken({
      name: 'listed',
      gateway: true,
      access: 'listed',
      memberships: [{ workspace_id: id, role: 'viewer' }],
    })
    expect(await gateway.run(idOf(await call(chat, { token: listed.token })))).toMatchObject({
      workspace_id: id,
    })
    const refused = [
      [limited.token, { 'promptdeck-workspace': 'default' }, 403],
      [limited.token, { 'promptdeck-env': 'dev' }, 403],
      [listed.token, { 'promptdeck-workspace': 'default' }, 404],
      [gateway.token, { 'promptdeck-workspace': 'nowhere' }, 404],
    ] as const
    for (const [token, headers, status] of refused)
      expect((await call(chat, { token, headers })).status).toBe(status)
  })

  it('has input and output as the workspace captures them: without data and secrets', async () => {
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'redacted' } })
    const data = `data:image/png;base64,${'A'.repeat(2000)}`
    const content = [
      { type: 'text', text: 'my password: hunter2hunter2' },
      { type: 'image_url', image_url: { url: data } },
    ]
    const reply = await call(chat, { body: { ...hello, messages: [{ role: 'user', content }] } })
    const run = await gateway.run(idOf(reply))
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'off' } })
    expect(run['content_state']).toBe('captured')
    expect(run['output']).toContain('You said:')
    expect(JSON.stringify(run)).not.toMatch(/hunter2|AAAA/)
    expect(JSON.stringify(run['input'])).toContain(`[${data.length} characters of data]`)
  })

  it('has estimated tokens if the provider reports none', async () => {
    gateway.models.plan({ answer: { usage: null } })
    const reply = await call(chat, { body: { ...hello, stream: true } })
    await reply.text()
    expect(await gateway.run(idOf(reply))).toMatchObject({
      tokens_estimated: true,
      prompt_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
    })
  })

  it('is not made for lists of models and counts of tokens', async () => {
    const before = await totalOf()
    const models = await call('/gateway/anthropic/v1/models', {
      method: 'GET',
      headers: { 'anthropic-version': '2023-06-01' },
    })
    expect(await models.json()).toMatchObject({ data: [{ id: 'claude-haiku-4-5' }] })
    expect(idOf(models)).toBeNull()
    const tags = await call('/gateway/ollama/api/tags', { method: 'GET' })
    expect(await tags.json()).toMatchObject({ models: [{ name: 'llama3.2:latest' }] })
    expect(await totalOf()).toBe(before)
  })

  it('of an added provider is made with its name in a header', async () => {
    const added = await gateway.server.call('POST /api/providers', {
      body: {
        label: 'Groq',
        name: 'groq',
        base_url: `${gateway.models.url}/v1`,
        local: true,
        api_key: providerKey,
      },
    })
    expect(added.status).toBe(201)
    const reply = await call(chat, { headers: { 'promptdeck-provider': 'groq' } })
    expect(await gateway.run(idOf(reply))).toMatchObject({ provider: 'groq', status: 'ok' })
  })
})
