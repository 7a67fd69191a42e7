import { expect, test } from 'vitest'
import { inStoreOf } from '../../../support/store.ts'
import { awaitDelivery, connectApp, promptFramesOf } from '../prompts-support.ts'
import { create, publish, served, server, setUpService } from './includes-support.ts'

setUpService()

test('an included prompt is not deleted while it is included', async () => {
  const { id: part } = await create('kept/part', 'part')
  const { id: whole } = await create('kept/whole', '{{> kept/part}}')
  const refused = await server.call(`DELETE /api/prompts/${part}`)
  expect(refused.body).toMatchObject({
    status: 409,
    code: 'prompt.included',
    detail: expect.stringContaining('kept/whole'),
  })
  await publish(whole, 'alone')
  expect((await server.call(`DELETE /api/prompts/${part}`)).status).toBe(200)
})

/** Makes the version of a prompt as an upgrade leaves it. A trigger forbids changes, so it is replaced. */
async function asBeforeIncludes(id: string): Promise<void> {
  await server.stop()
  await inStoreOf(server, async (q) => {
    const [row] = await q.selectFrom('prompt_versions').selectAll().where('prompt_id', '=', id).execute()
    if (row === undefined) throw new Error('The prompt has no version')
    await q.deleteFrom('prompt_versions').where('prompt_id', '=', id).execute()
    const before = { ...row, has_includes: 0 }
    await q.insertInto('prompt_versions').values(before).execute()
  })
  await server.restart()
}

test('`{{> …}}` in a version from before includes stays text until the text changes', async () => {
  await create('old/part', 'part')
  const { id } = await create('old/whole', 'old {{> old/part}}')
  await asBeforeIncludes(id)
  expect((await served('old/whole')).body.content).toBe('old {{> old/part}}')
  await server.call(`PATCH /api/prompts/${id}`, { body: { description: 'Only the description changes' } })
  expect((await server.call(`GET /api/prompts/${id}`)).body.data.has_draft).toBe(false)
  await publish(id, 'new {{> old/part}}')
  expect((await served('old/whole')).body.content).toBe('new part')
})

test('a publish that would break an includer is refused', async () => {
  const { id } = await create('break/part', 'part')
  await create('break/whole', 'whole {{> break/part}}')
  await create('break/outer', '{{> break/whole}}')
  const toChat = { type: 'chat', messages: [{ role: 'user', content: 'Hi' }] }
  expect((await server.call(`PATCH /api/prompts/${id}`, { body: toChat })).status).toBe(200)
  const refused = await server.call(`POST /api/prompts/${id}/publish`, { body: {} })
  expect(refused.body.errors).toEqual([
    {
      path: 'messages',
      message:
        'break/whole includes this prompt and could not be served: {{> break/part}} is a chat prompt; only texts can be included',
    },
  ])
  // Nine levels below break/outer.
  await create('level/9', 'deep')
  for (let level = 8; level >= 1; level -= 1) await create(`level/${level}`, `{{> level/${level + 1}}}`)
  const tooDeep = await server.call(`PUT /api/prompts/${id}`, {
    body: { type: 'text', content: '{{> level/2}}', version: 'v2' },
  })
  expect(tooDeep.body.errors?.[0]?.message).toMatch(
    /^break\/(outer|whole) .* could not be served: {{> level\/[89]}} is nested too deeply: includes have at most 8 levels$/,
  )
  expect((await served('break/outer')).body.content).toBe('whole part')
})

test('a pinned version announces and protects what it includes', async () => {
  const { id: footer } = await create('pin/footer', 'Bye')
  const { id: part } = await create('pin/part', 'v1 {{> pin/footer}}')
  await create('pin/whole', 'Hi {{> pin/part@v1}}')
  await publish(part, 'v2 without')
  const etag = (await served('pin/whole')).headers.get('etag')
  const app = await connectApp(server, 'client=node-sdk&namespace=prod&app=pins')
  await publish(footer, 'Goodbye')
  await awaitDelivery(app)
  expect(promptFramesOf(app).toSorted()).toEqual([
    'prompt.published pin/footer v2',
    'prompt.updated pin/whole v1',
  ])
  app.socket.close()
  const after = await served('pin/whole')
  expect(after.body.content).toBe('Hi v1 Goodbye')
  expect(after.headers.get('etag')).not.toBe(etag)
  expect((await server.call(`DELETE /api/prompts/${footer}`)).body.detail).toContain('pin/whole')
})

test('an included prompt is not moved, and a move announces the includers at its new place', async () => {
  const workspace = (await server.call('POST /api/workspaces', { body: { name: 'Elsewhere' } })).body.data
  const { id: part } = await create('move/part', 'part')
  const { id: whole } = await create('move/whole', '{{> move/part}}')
  const move = (id: string) =>
    server.call(`PATCH /api/prompts/${id}`, { body: { workspace_id: workspace.id } })
  expect((await move(part)).body).toMatchObject({ status: 409, code: 'prompt.included' })
  // Its include stays text until the included prompt follows.
  expect((await move(whole)).status).toBe(200)
  const at = () => server.call(`GET /api/sdk/prompts/move%2Fwhole?workspace=${workspace.slug}`)
  expect((await at()).body.content).toBe('{{> move/part}}')
  const app = await connectApp(server, `client=node-sdk&namespace=prod&app=b&workspace=${workspace.slug}`)
  expect((await move(part)).status).toBe(200)
  await awaitDelivery(app)
  expect(promptFramesOf(app)).toEqual(['prompt.created move/part v1', 'prompt.updated move/whole v1'])
  app.socket.close()
  expect((await at()).body.content).toBe('part')
})

test('a text from before includes stays literal when it returns to a draft, by a change or an import', async () => {
  await create('back/part', 'part')
  const old = 'old {{> back/part}}'
  const { id } = await create('back/whole', old)
  await asBeforeIncludes(id)
  const content = async () => (await served('back/whole')).body.content
  await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'another {{> back/part}}' } })
  await server.call(`PATCH /api/prompts/${id}`, { body: { content: old, description: 'again' } })
  expect((await server.call(`GET /api/prompts/${id}`)).body.data.has_draft).toBe(false)
  await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'another' } })
  const imported = await server.call('POST /api/prompts/import', {
    body: {
      files: [
        {
          name: 'back.json',
          content: JSON.stringify([{ key: 'back/whole', env: 'prod', content: old, version: 'v1' }]),
        },
      ],
      publish: true,
    },
  })
  expect(imported.body.data.items, imported.text).toMatchObject([{ outcome: 'update' }])
  expect(await content()).toBe(old)
  await publish(id, 'new')
  await server.call(`POST /api/prompts/${id}/rollback`, { body: { version: 'v1' } })
  expect(await content()).toBe(old)
  await server.call(`POST /api/prompts/${id}/promote`, { body: { env: 'test' } })
  const promoted = await server.call('GET /api/sdk/prompts/back%2Fwhole?env=test')
  expect(promoted.body.content).toBe(old)
})

test('an import publishes included prompts first, and names the item that cannot be resolved', async () => {
  const importing = (prompts: object[]) =>
    server.call('POST /api/prompts/import', {
      body: { files: [{ name: 'all.json', content: JSON.stringify(prompts) }], publish: true },
    })
  const item = (key: string, content: string) => ({ key, env: 'prod', content, version: 'v1' })
  const imported = await importing([
    item('order/a', 'a {{> order/b}} {{> order/c@v1}}'),
    item('order/b', 'b {{> order/c}}'),
    item('order/c', 'c'),
  ])
  expect(imported.status, imported.text).toBe(200)
  expect(imported.body.data.items.map(({ key }: { key: string }) => key)).toEqual([
    'order/a',
    'order/b',
    'order/c',
  ])
  expect((await served('order/a')).body.content).toBe('a b c c')
  expect(imported.body.data.items[0].id).toBe((await served('order/a')).body.etag.slice(1, 37))

  const refused = await importing([item('order/d', 'd'), item('order/e', 'e {{> order/f}}')])
  expect(refused).toMatchObject({
    status: 422,
    body: {
      errors: [
        {
          path: 'files.0.1.content',
          message: 'order/e in all.json: {{> order/f}} is not served in prod of this workspace',
        },
      ],
    },
  })
  expect((await served('order/d')).status).toBe(404)
})

test('a prompt whose include was deleted meanwhile is restored only after it', async () => {
  const { id: part } = await create('trash/part', 'part')
  const { id: whole } = await create('trash/whole', '{{> trash/part}}')
  await server.call(`DELETE /api/prompts/${whole}`)
  await server.call(`DELETE /api/prompts/${part}`)
  const restore = (id: string) => server.call(`POST /api/prompts/${id}/restore`)
  expect((await restore(whole)).body.detail).toBe(
    'content: {{> trash/part}} is not served in prod of this workspace',
  )
  expect((await served('trash/whole')).status).toBe(404)
  await restore(part)
  expect((await restore(whole)).status).toBe(200)
  expect((await served('trash/whole')).body.content).toBe('part')
})
