import { describe, expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'
import { chat, messages, params, variables } from './chat-support.ts'
import { edit, makePrompt } from './prompts-support.ts'

setUpService(async () => {
  await server.call('POST /api/workspaces', { body: { name: 'Copy' } })
  await makePrompt(server, { key: 'chat/full', env: 'prod', ...chat, tags: ['a', 'b'], description: 'Ä' })
  await makePrompt(server, { key: 'chat/text', env: 'prod', content: 'Hi {{order}}', params, variables })
})

type Item = { readonly key: string; readonly notes: string[]; readonly changes: string[] }
const importing = (content: string, name: string, options: object = {}) =>
  server.call('POST /api/prompts/import', { body: { files: [{ name, content }], ...options } })
const find = async (key: string, workspace = 'copy') =>
  (await server.call(`GET /api/prompts?workspace=${workspace}&key=${encodeURIComponent(key)}`)).body.data[0]
const exported = (format: string) => server.call(`GET /api/prompts/export?format=${format}&workspace=default`)
const bodyOf = ({
  type,
  content,
  messages: list,
  model,
  params: set,
  variables: all,
}: Record<string, unknown>) => ({
  type,
  content,
  messages: list,
  model,
  params: set,
  variables: all,
})

describe('a file with chats and parameters', () => {
  it.each([
    ['json', 'a.json'],
    ['yaml', 'a.yaml'],
    ['markdown', 'a.md'],
    ['openai', 'a.json'],
  ])('is exported and imported without loss as %s', async (format, name) => {
    const { text } = await exported(format)
    const reply = await importing(text, name, {
      publish: true,
      workspace_id: 'copy',
      prefix: format,
      env: 'prod',
    })
    expect(reply.body.data).toMatchObject({ created: 2, format })
    expect(reply.body.data.items.flatMap(({ notes }: Item) => notes)).toEqual([])
    for (const key of ['chat/full', 'chat/text']) {
      const original = await find(key, 'default')
      const copy = await find(`${format}/${key}`)
      expect(bodyOf(copy.served)).toEqual(bodyOf(original.served))
      expect([copy.tags, copy.description, copy.name]).toEqual([
        original.tags,
        original.description,
        original.name,
      ])
    }
    const again = await importing(text, name, { workspace_id: 'copy', prefix: format, env: 'prod' })
    expect(again.body.data).toMatchObject({ unchanged: 2, updated: 0 })
  })

  it('keeps messages and parameters in the format of Langfuse', async () => {
    const { text, body } = await exported('langfuse')
    expect(body.data[0]).toMatchObject({
      type: 'chat',
      prompt: [
        { role: 'system', content: 'You help {{customer.name}}. {{ > legal/footer}}' },
        { type: 'placeholder', name: 'history' },
        { role: 'user' },
        {
          role: 'assistant',
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'find_order', arguments: '{"id":"{{order}}"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1' },
      ],
      config: { model: 'gpt-4o', temperature: 0.2, max_tokens: 300, reasoning_effort: 'low' },
    })
    const options = { publish: true, workspace_id: 'copy', prefix: 'langfuse' }
    expect((await importing(text, 'a.json', options)).body.data).toMatchObject({
      created: 2,
      format: 'langfuse',
    })
    expect((await find('langfuse/chat/full')).served).toMatchObject({ type: 'chat', messages, params })
    expect((await find('langfuse/chat/text')).served).toMatchObject({ type: 'text', params })
  })

  it('exports the body of a chat completion', async () => {
    const [body] = (await exported('openai')).body.prompts
    expect(body).toMatchObject({
      model: 'gpt-4o',
      temperature: 0.2,
      max_tokens: 300,
      tools: [{ type: 'function', function: { name: 'find_order', description: 'Finds an order' } }],
      response_format: { type: 'json_schema', json_schema: { name: 'reply', strict: true } },
      metadata: { key: 'chat/full', env: 'prod', type: 'chat', tags: 'a,b' },
    })
    expect(Object.values(body.metadata).every((value) => typeof value === 'string')).toBe(true)
  })

  it('takes the body of a request to OpenAI, and notes what it leaves out', async () => {
    const body = {
      model: 'gpt-4o',
      stream: true,
      messages: [
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Be ' },
            { type: 'text', text: 'brief' },
          ],
        },
        { role: 'user', name: 'ann', content: [{ type: 'text', text: 'Hi' }, { type: 'image_url' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: 'not JSON' } }],
        },
      ],
      stop: 'END',
      max_completion_tokens: 5,
      temperature: 9,
      tools: [{ type: 'function', function: { name: 'f', strict: true } }],
      reasoning_effort: 'low',
    }
    const reply = await importing(JSON.stringify(body), 'support/first.json', { workspace_id: 'copy' })
    const [{ notes }] = reply.body.data.items
    expect(notes).toHaveLength(5)
    for (const part of ['developer', 'names', 'other than text', 'strict', 'temperature'])
      expect(notes.join()).toContain(part)
    expect(await find('support/first')).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '', tool_calls: [{ id: 'c', name: 'f', arguments: 'not JSON' }] },
      ],
      params: { stop: ['END'], max_output_tokens: 5, reasoning_effort: 'low', tools: [{ name: 'f' }] },
    })
  })

  it('replaces a text by a chat, and previews the fields that change', async () => {
    await makePrompt(server, { key: 'chat/replaced', env: 'dev', content: 'old' })
    const item = { key: 'chat/replaced', content: 'edited', messages: [{ role: 'user', content: 'new' }] }
    const preview = await importing(JSON.stringify([item]), 'a.json', { preview: true })
    expect(preview.body.data.items[0]).toMatchObject({
      changes: ['type', 'content', 'messages'],
      after: { type: 'chat', content: 'user: new', messages: item.messages },
      notes: ['The content differs from the messages: the messages are imported'],
    })
    await importing(JSON.stringify([item]), 'a.json')
    expect(await find('chat/replaced', 'default')).toMatchObject({ type: 'chat', has_draft: true })
    const text = await importing('[{"key":"chat/replaced","content":"text again"}]', 'a.json')
    expect(text.body.data.items[0].changes).toEqual(['type', 'content', 'messages'])
    expect(await find('chat/replaced', 'default')).toMatchObject({ type: 'text', content: 'text again' })
  })

  it('exports a draft with its messages, and refuses invalid messages', async () => {
    const { id } = await find('chat/full', 'default')
    await edit(server, id, { messages: [{ role: 'user', content: 'draft' }] })
    const { prompts } = (await exported('json')).body
    const found = prompts.find(({ key }: Item) => key === 'chat/full')
    expect(found.draft).toMatchObject({ type: 'chat', messages: [{ role: 'user', content: 'draft' }] })
    const bad = [{ key: 'chat/bad', messages: [{ role: 'user' }] }]
    const reply = await importing(JSON.stringify(bad), 'a.json')
    expect([reply.status, reply.body.errors[0].path]).toEqual([422, 'files.0.0.messages.0.content'])
  })
})
