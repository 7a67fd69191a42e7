import { describe, expect, it } from 'vitest'
import { chat, messages, params } from '../chat-support.ts'
import { act, edit, fetchServed, makePrompt } from '../prompts-support.ts'
import { body, server, setUpService, user, watcher } from './chat-service.ts'

setUpService()

describe('a chat prompt', () => {
  it('is created, published and served with its messages, its parameters and its text', async () => {
    const { result: prompt, audit } = await watcher.during(() =>
      makePrompt(server, { key: 'chat/order', env: 'prod', ...chat }),
    )
    expect(prompt).toMatchObject({ ...body, version: 'v1', served: { version: 'v1', ...body } })
    expect(prompt.variables).toEqual([
      expect.objectContaining({ name: 'customer.name', declared: false, used: true }),
      expect.objectContaining({ name: 'order', declared: true, used: true, example: 'A-17' }),
    ])
    expect(audit).toEqual(['service-token create prompt chat/order'])
    const served = await fetchServed(server, 'chat/order')
    const { variables } = prompt
    expect(served.body).toEqual({
      key: 'chat/order',
      version: 'v1',
      env: 'prod',
      ...body,
      variables,
      etag: `"${prompt.id}-v1"`,
    })
    const bulk = await server.call('GET /api/sdk/prompts?env=prod')
    expect(bulk.body.data).toEqual([served.body])
    const [row] = (await server.call('GET /api/prompts?fields=summary&q=order')).body.data
    expect(row).toMatchObject({ type: 'chat', served: { version: 'v1', type: 'chat', model: 'gpt-4o' } })
    expect(row).not.toHaveProperty('messages')
    expect(row).not.toHaveProperty('params')
    // Roles are not part of the text that is searched.
    expect((await server.call('GET /api/prompts?q=assistant')).body.data).toEqual([])
  })

  it('keeps parameters of every name', async () => {
    const text = '{"temperature":1,"__proto__":{"a":1},"__proto__..__proto__":2,"constructor":"b"}'
    const fields = { key: 'chat/names', env: 'test', content: 'Hi', params: JSON.parse(text) }
    const created = await server.call('POST /api/prompts', { body: fields })
    expect(created.text).toContain(`"params":${text}`)
    for (const path of [`prompts/${created.body.data.id}/versions/v1`, 'sdk/prompts/chat%2Fnames?env=test'])
      expect((await server.call(`GET /api/${path}`)).text).toContain(`"params":${text}`)
  })

  it('has drafts, versions, rollbacks, promotions, copies and a trash like a text', async () => {
    const prompt = await makePrompt(server, { key: 'chat/life', env: 'dev', ...chat })
    const next = [...messages, user('Thanks')]
    const draft = await edit(server, prompt.id, { messages: next, params: { temperature: 1 } })
    expect(draft).toMatchObject({ has_draft: true, messages: next, params: { temperature: 1 }, served: body })
    expect((await fetchServed(server, 'chat/life', 'env=dev')).body.messages).toEqual(messages)
    const { result, audit } = await watcher.during(() => act(server, prompt.id, 'publish', {}))
    expect(result).toMatchObject({ version: 'v2', has_draft: false, served: { messages: next } })
    expect(audit).toEqual(['service-token publish prompt chat/life'])
    const [entry] = (await server.call('GET /api/audit?limit=1')).body.data
    const details = (await server.call(`GET /api/audit/${entry.id}`)).body.data
    expect(details.after).toMatchObject({ messages: next, params: { temperature: 1 } })
    expect(details.before).toMatchObject({ messages, params })
    expect(await act(server, prompt.id, 'rollback', { version: 'v1' })).toMatchObject({
      version: 'v3',
      served: body,
    })
    const versions = (await server.call(`GET /api/prompts/${prompt.id}/versions`)).body.data
    expect(versions.map((version: { messages: unknown }) => version.messages)).toEqual([
      messages,
      next,
      messages,
    ])
    const list = (await server.call(`GET /api/prompts/${prompt.id}/versions?fields=summary`)).body.data
    expect(list[0]).toMatchObject({ type: 'chat' })
    expect(list[0]).not.toHaveProperty('messages')
    const promoted = await act(server, prompt.id, 'promote', { env: 'test' })
    expect(promoted).toMatchObject({ env: 'test', version: 'v1', served: body })
    const again = await server.call(`POST /api/prompts/${prompt.id}/promote`, { body: { env: 'test' } })
    expect(again.body.code).toBe('prompt.nothing_to_publish')
    expect(await act(server, prompt.id, 'duplicate', { key: 'chat/copy' })).toMatchObject({
      ...body,
      served: null,
    })
    await server.call(`DELETE /api/prompts/${prompt.id}`)
    expect(await act(server, prompt.id, 'restore')).toMatchObject({ served: body })
  })

  it('is saved unchanged when it is sent back as it was read', async () => {
    const prompt = await makePrompt(server, { key: 'chat/back', env: 'dev', ...chat })
    const { result, audit } = await watcher.during(() =>
      server.call(`PUT /api/prompts/${prompt.id}`, {
        body: prompt,
        headers: { 'if-match': prompt.etag },
      }),
    )
    expect(result.body.data).toEqual(prompt)
    expect(audit).toEqual([])
    const changed = { ...prompt, messages: [...messages, user('More')] }
    const saved = await server.call(`PUT /api/prompts/${prompt.id}`, { body: changed })
    expect(saved.body.data).toMatchObject({ has_draft: true, messages: changed.messages })
    expect(saved.body.data.etag).not.toBe(prompt.etag)
    const restored = await edit(server, prompt.id, { messages })
    expect(restored).toMatchObject({ has_draft: false })
  })

  it('changes its type as a draft', async () => {
    const { id } = await makePrompt(server, { key: 'chat/type', env: 'dev', content: 'Hi {{who}}' })
    const asChat = await edit(server, id, { type: 'chat' })
    expect(asChat).toMatchObject({
      type: 'chat',
      content: 'user: Hi {{who}}',
      messages: [user('Hi {{who}}')],
      has_draft: true,
      served: { type: 'text', content: 'Hi {{who}}', messages: null },
    })
    expect(await edit(server, id, { content: 'Hi {{who}}', type: 'text' })).toMatchObject({
      has_draft: false,
    })
    const implied = await edit(server, id, { messages: [user('A'), { role: 'assistant', content: 'B' }] })
    expect(implied).toMatchObject({ type: 'chat', content: 'user: A\n\nassistant: B' })
    const joined = await edit(server, id, { type: 'text' })
    expect(joined).toMatchObject({ type: 'text', content: 'user: A\n\nassistant: B', messages: null })
    const diff = (await server.call(`GET /api/prompts/${id}/diff`)).body.data
    expect(diff).toMatchObject({ type: null, messages: null, identical: false })
    await edit(server, id, { messages: [user('A')] })
    expect((await server.call(`GET /api/prompts/${id}/diff`)).body.data).toMatchObject({
      type: { from: 'text', to: 'chat' },
      messages: null,
    })
    const impact = (await server.call(`GET /api/prompts/${id}/impact`)).body.data
    expect(impact.diff).toMatchObject({ type_changed: true, model_changed: false, params_changed: [] })
    expect(await edit(server, id, { messages: null })).toMatchObject({ type: 'text', content: 'user: A' })
  })

  it('is compared by message and by parameter', async () => {
    const first = [{ role: 'system', content: 'Be brief.\nBe kind.' }, user('Hi'), { placeholder: 'history' }]
    const { id } = await makePrompt(server, {
      key: 'chat/diff',
      env: 'dev',
      messages: first,
      params: { temperature: 0.2, seed: 7, stop: ['a'] },
    })
    const none = (await server.call(`GET /api/prompts/${id}/diff?from=none&to=v1`)).body.data
    expect(none.messages.map(({ kind }: { kind: string }) => kind)).toEqual(['added', 'added', 'added'])
    await edit(server, id, {
      messages: [
        { role: 'system', content: 'Be brief.\nBe polite.' },
        { placeholder: 'earlier' },
        user('Hi'),
        user('Go'),
      ],
      params: { temperature: 0.7, seed: 7, max_tokens: 10 },
    })
    const { data: diff } = (await server.call(`GET /api/prompts/${id}/diff`)).body
    expect(diff.params).toEqual([
      { name: 'max_output_tokens', to: 10 },
      { name: 'stop', from: ['a'] },
      { name: 'temperature', from: 0.2, to: 0.7 },
    ])
    expect(diff.messages.map(({ kind }: { kind: string }) => kind)).toEqual([
      'changed',
      'added',
      'same',
      'removed',
      'added',
    ])
    expect(
      diff.messages[0].lines.map((line: { kind: string; text: string }) => `${line.kind} ${line.text}`),
    ).toEqual(['same Be brief.', 'removed Be kind.', 'added Be polite.'])
    const impact = (await server.call(`GET /api/prompts/${id}/impact`)).body.data
    expect(impact.diff.params_changed).toEqual(['max_output_tokens', 'stop', 'temperature'])
    const same = (await server.call(`GET /api/prompts/${id}/diff?from=draft&to=draft`)).body.data
    expect(same).toMatchObject({ identical: true, params: [], type: null })
  })
})
