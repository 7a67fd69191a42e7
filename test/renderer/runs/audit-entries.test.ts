import { describe, expect, it } from 'vitest'
import { allowClipboard, clipboardText } from '../support/clipboard.ts'
import { eventually, patience } from '../support/console.ts'
import { withAudit } from '../support/fixtures/audit.ts'

describe('An audit entry', { timeout: patience }, () => {
  const { call, open, addUser, newest } = withAudit()

  it('opens an entry at its own address with all recorded data', async () => {
    const id = await addUser('grace')
    await call(`PATCH /api/users/${id}`, { role: 'editor' })
    const entry = (await call(`GET /api/audit/${(await newest('action=role_change&key=grace')).id}`)).body
      .data
    const { page, audit, close } = await open(`/${entry.id}`)
    await allowClipboard(page)
    await audit.diff.getByText('"viewer"').waitFor()
    expect(await audit.diff.locator('del', { hasText: 'role' }).innerText()).toContain('"role": "viewer"')
    expect(await audit.diff.locator('ins', { hasText: 'role' }).innerText()).toContain('"role": "editor"')
    expect(await audit.drawer.title.innerText()).toBe('admin changed the role of grace from viewer to editor')
    expect(await audit.fact('IP address').innerText()).toBe('127.0.0.1')
    expect(await audit.fact('Request ID').innerText()).toBe(entry.request_id)
    expect(await audit.fact('Previous hash').innerText()).toBe(entry.prev_hash)
    await audit.fact('Hash').getByRole('button', { name: 'Copy' }).click()
    expect(await clipboardText(page)).toBe(entry.hash)
    await audit.link('Previous entry').click()
    await eventually(() => new URL(page.url()).pathname).toBe(`/audit/${entry.id - 1}`)
    await eventually(() => audit.fact('Hash').innerText()).toBe(entry.prev_hash)
    await close()
  })

  it('supports the keyboard, and restores the focus', async () => {
    await addUser('keys-1')
    await addUser('keys-2')
    const { page, audit, close } = await open('?action=create&resource=user')
    await audit.row('keys-2').waitFor()
    const [first = 0, second = 0] = await audit.ids()
    const path = () => new URL(page.url()).pathname
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await eventually(path).toBe(`/audit/${first}`)
    await audit.diff.waitFor()
    await page.keyboard.press('ArrowDown')
    await eventually(path).toBe(`/audit/${second}`)
    // The address changes before the drawer, which the next key starts from.
    await eventually(() => audit.fact('Entry').innerText()).toBe(String(second))
    await page.keyboard.press('ArrowUp')
    await eventually(path).toBe(`/audit/${first}`)
    await page.keyboard.press('Escape')
    await eventually(path).toBe('/audit')
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('data-row-id'))).toBe(
      String(first),
    )
    await close()
  })

  it('links from an entry to all entries of its actor and its object, and to the object', async () => {
    const id = await addUser('linked')
    await call(`PATCH /api/users/${id}`, { role: 'editor' })
    const entry = await newest('key=linked')
    const { page, audit, search, close } = await open(`/${entry.id}?q=linked`)
    await audit.link('Show entries of this user').click()
    await eventually(() => search().get('resource_id')).toBe(id)
    expect(search().get('q')).toBe(null)
    await eventually(() => audit.ids()).toHaveLength(2)
    await audit.entry(entry.id).locator('td[data-col]').first().click()
    await audit.link('Show entries by admin').click()
    await eventually(() => search().get('actor')).toBe('admin')
    await audit.entry(entry.id).locator('td[data-col]').first().click()
    await audit.link('Open user').click()
    await eventually(() => new URL(page.url()).pathname).toBe(`/users/${id}`)
    await close()
  })

  it('links from an entry about an API token to the list of tokens', async () => {
    await call('POST /api/tokens', { name: 'linked token' })
    const { page, audit, close } = await open(`/${(await newest('resource=token')).id}`)
    await audit.link('Open API tokens').click()
    await eventually(() => new URL(page.url()).pathname).toBe('/tokens')
    await close()
  })

  it('restores what a change replaced: values, a version, a deleted prompt', async () => {
    const id = await addUser('restored')
    await call(`PATCH /api/users/${id}`, { role: 'editor' })
    const { page, audit, close } = await open(`/${(await newest('key=restored')).id}`)
    const restore = async (action: string) => {
      await page.getByRole('button', { name: 'Restore…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
      await page.getByText(/^Restored the /).waitFor()
    }
    await restore('Restore values')
    expect((await call(`GET /api/users/${id}`)).body.data.role).toBe('viewer')

    const created = await call('POST /api/prompts', { key: 'undo/me', env: 'prod', content: 'one' })
    const path = `/api/prompts/${created.body.data.id}`
    await call(`PATCH ${path}`, { content: 'two' })
    await call(`POST ${path}/publish`, {})
    await audit.goto(`/${(await newest('key=undo/me&action=publish')).id}`)
    await restore('Roll back to v1')
    const rolledBack = (await call(`GET ${path}`)).body.data
    expect(rolledBack).toMatchObject({ version: 'v3', served: { content: 'one' } })

    await call(`DELETE ${path}`)
    await audit.goto(`/${(await newest('key=undo/me&action=delete')).id}`)
    await restore('Restore prompt')
    expect((await call(`GET ${path}`)).body.data.version).toBe('v3')

    const messages = [{ role: 'user', content: 'Hello' }]
    const chat = await call('POST /api/prompts', { key: 'undo/chat', env: 'prod', type: 'chat', messages })
    const chatPath = `/api/prompts/${chat.body.data.id}`
    const other = [{ role: 'user', content: 'Goodbye' }]
    await call(`PATCH ${chatPath}`, { messages: other, params: { temperature: 1 } })
    await audit.goto(`/${(await newest('key=undo/chat&action=update')).id}`)
    await restore('Restore values')
    expect((await call(`GET ${chatPath}`)).body.data).toMatchObject({ messages, params: {} })
    // The log has no field of a tool's parameters with the name of a secret.
    await call(`PATCH ${chatPath}`, {
      params: { tools: [{ name: 'open', parameters: { type: 'object', properties: { token: {} } } }] },
    })
    await call(`PATCH ${chatPath}`, { params: {} })
    await audit.goto(`/${(await newest('key=undo/chat&action=update')).id}`)
    await page.getByText('Request ID').first().waitFor()
    expect(await page.getByRole('button', { name: 'Restore…' }).count()).toBe(0)

    await audit.goto(`/${(await newest('key=undo/me&action=create')).id}`)
    await page.getByText('Request ID').first().waitFor()
    expect(await page.getByRole('button', { name: 'Restore…' }).count()).toBe(0)
    await close()
  })

  it('links from each way of publishing to the changes of the version, whatever the key contains', async () => {
    const key = 'my notes v9 in dev'
    const created = await call('POST /api/prompts', { key, env: 'dev', content: 'Hi' })
    expect(created.status).toBe(201)
    const { id } = created.body.data
    for (const [what, body] of [
      [`PUT /api/prompts/${id}`, { content: 'Hi all', version: 'v2' }],
      [`PATCH /api/prompts/${id}`, { content: 'Hello' }],
      [`POST /api/prompts/${id}/publish`, {}],
      [`POST /api/prompts/${id}/rollback`, { version: 'v1' }],
    ] as const)
      expect(await call(what, body)).toMatchObject({ status: 200 })
    const { data } = (await call(`GET /api/audit?resource_id=${id}`)).body
    const entries = data.filter(({ action }: { readonly action: string }) => action !== 'update')
    const { page, audit, close } = await open()
    for (const [index, version] of ['v4', 'v3', 'v2', 'v1'].entries()) {
      await audit.goto(`/${entries[index].id}`)
      await audit.link('Show changes').click()
      await eventually(() => new URL(page.url()).searchParams.get('to')).toBe(version)
    }
    await close()
  })
  it('names the environment at the end of a sentence in a narrow window too', async () => {
    const body = { key: 'support/long-context', content: 'Hi', env: 'dev' } as const
    const { data } = (await call('POST /api/prompts', body)).body
    await call(`POST /api/prompts/${data.id}/promote`, { env: 'prod' })
    const { audit, close } = await open('?action=promote', undefined, { width: 900 })
    const row = audit.row('support/long-context')
    const [env, sentence] = [row.getByText('prod', { exact: true }), row.getByTestId('sentence')]
    await env.waitFor()
    const [inner, outer] = [await env.boundingBox(), await sentence.boundingBox()]
    expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0))
    await close()
  })
  it('shows the two values of a field together, also if lines of text were added before them', async () => {
    const body = { key: 'pairs/one', content: 'One\nTwo', env: 'dev' }
    const { data } = (await call('POST /api/prompts', body)).body
    await call(`PATCH /api/prompts/${data.id}`, { content: 'One\nTwo\nThree' })
    await call(`POST /api/prompts/${data.id}/publish`, { message: 'A third line' })
    const { audit, close } = await open(`/${(await newest('key=pairs/one&action=publish')).id}`)
    await audit.diff.getByText('Three').waitFor()
    expect(await audit.diff.innerText()).toMatch(/"has_draft": true,[\s+]*"has_draft": false,/)
    await close()
  })
})
