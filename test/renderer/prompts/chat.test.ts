import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { promptPage } from '../support/pages/prompts.ts'

describe('A chat prompt', { timeout: patience }, () => {
  let console: Console
  beforeAll(async () => {
    console = await openConsole()
  })
  afterAll(() => console.close())

  it('is made from a text, with a placeholder, a tool and a schema, and compared by message', async () => {
    const client = console.server.client()
    const body = { key: 'chat/made', content: 'Help {{name}}', env: 'dev' as const }
    const { id } = (await client.prompts.create({ body })).data
    const { token } = await console.server.signedIn('editor', 'edda')
    const { page, faults, close } = await console.visit(token)
    const prompt = promptPage(page)
    await prompt.goto(id)
    await page.getByText('Chat', { exact: true }).first().click()
    await page.getByRole('combobox', { name: 'Role of message 1' }).selectOption('system')
    await page.getByRole('button', { name: 'Add placeholder' }).click()
    await page.getByRole('button', { name: 'Add message' }).click()
    await page.getByRole('textbox', { name: 'Text of message 3' }).click()
    await page.keyboard.type('Why, {{name')
    await page.keyboard.type('}}')
    // The focus stays on a message that is moved by keyboard.
    await page.getByRole('combobox', { name: 'Role of message 3' }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await eventually(() => page.locator(':focus').getAttribute('aria-label')).toBe('Role of message 2')
    await page.keyboard.press('Alt+ArrowDown')
    await page.getByRole('textbox', { name: 'Temperature' }).fill('0.2')
    await page.getByRole('combobox', { name: 'Response format' }).selectOption('json_schema')
    await page.getByRole('textbox', { name: 'JSON Schema of the response' }).fill('{"type":"object"}')
    await page.getByRole('button', { name: 'Add tool', exact: true }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('find')
    await prompt.save.click()
    await prompt.status.filter({ hasText: 'Draft differs from v1 (live)' }).waitFor()
    const { data } = await client.prompts.get({ params: { id } })
    expect(data).toMatchObject({
      type: 'chat',
      messages: [
        { role: 'system', content: 'Help {{name}}' },
        { placeholder: 'history' },
        { role: 'user', content: 'Why, {{name}}' },
      ],
      params: {
        temperature: 0.2,
        tools: [{ name: 'find' }],
        response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
      },
      served: { type: 'text', messages: null },
    })
    await client.promptVersions.publish({ params: { id }, body: {} })
    const messages = [...(data.messages ?? []), { role: 'user' as const, content: 'Thanks' }]
    await client.prompts.update({ params: { id }, body: { messages, params: { temperature: 1 } } })
    await prompt.goto(id, '?tab=versions')
    const diff = page.getByRole('list', { name: 'Messages', exact: true })
    await diff.getByText('User, added').waitFor()
    await page.getByRole('region', { name: 'Model parameters' }).getByText('temperature').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('runs in the Playground with its messages', async () => {
    const client = console.server.client()
    const messages = [
      { role: 'system' as const, content: 'Help {{name}}' },
      { placeholder: 'history' },
      { role: 'user' as const, content: 'Why?' },
    ]
    const { id } = (await client.prompts.create({ body: { key: 'chat/run', env: 'dev', messages } })).data
    const { page, faults, close } = await console.visit(
      (await console.server.signedIn('editor', 'erik')).token,
    )
    await page.goto(`/playground?prompt=${id}`)
    await page.getByText('This prompt is a chat.').waitFor()
    await page.getByRole('textbox', { name: 'name', exact: true }).fill('Ada')
    await page.getByRole('textbox', { name: 'history' }).fill('[{"role":"user","content":"Hello"}]')
    await page.getByRole('button', { name: /^Run/ }).first().click()
    await page.getByText('mock completion (mock-small): system: Help Ada', { exact: false }).waitFor()
    expect(faults).toEqual([])
    await close()
  })
})
