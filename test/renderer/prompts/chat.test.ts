import { describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { playgroundPage } from '../support/pages/playground.ts'
import { promptPage } from '../support/pages/prompts.ts'

describe('A chat prompt', { timeout: patience }, () => {
  const console = setUpConsole()

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
    // In a narrow window the page scrolls, and not the messages in it.
    await page.setViewportSize({ width: 900, height: 900 })
    const part = page.getByRole('list', { name: 'Messages' }).first().locator('xpath=../..')
    expect(await part.evaluate((element) => element.scrollHeight - element.clientHeight)).toBe(0)
    await page.setViewportSize({ width: 1440, height: 900 })
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

  it('runs in the Playground with its messages and the variables of included prompts', async () => {
    const client = console.server.client()
    const messages = [
      { role: 'system' as const, content: 'Help {{name}}' },
      { placeholder: 'history' },
      { role: 'user' as const, content: 'Why? {{> chat/footer}}' },
    ]
    const footer = { key: 'chat/footer', env: 'dev', content: 'Regards, {{team}}' } as const
    await client.prompts.create({ body: footer })
    const { id } = (await client.prompts.create({ body: { key: 'chat/run', env: 'dev', messages } })).data
    const { page, faults, close } = await console.visit(
      (await console.server.signedIn('editor', 'erik')).token,
    )
    const playground = playgroundPage(page)
    await playground.goto(`?prompt=${id}`)
    await playground.value('name').fill('Ada')
    await playground.value('team').fill('Blue')
    const history = playground.side.getByRole('listitem', { name: 'Messages of history' })
    await history.getByRole('button', { name: 'Add message' }).click()
    expect(await history.getByRole('combobox', { name: 'Role of message 1' }).inputValue()).toBe('user')
    await history.getByRole('textbox', { name: 'Text of message 1' }).fill('Hello {{name}}')
    await playground.runAll.click()
    const answer = playground.column(1).answer
    await answer.getByText('mock completion (mock-small): system: Help Ada', { exact: false }).waitFor()
    // Messages of a placeholder are inserted as they are.
    await answer.getByText('user: Hello {{name}}').waitFor()
    await answer.getByText('Why? Regards, Blue').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('is edited and run in the Playground, saved as a draft, and opened again from its run', async () => {
    const client = console.server.client()
    await client.settings.update({ body: { capture: 'full' } })
    const messages = [
      { role: 'system' as const, content: 'Help {{name}}' },
      { role: 'user' as const, content: 'Why?' },
    ]
    const body = { key: 'chat/edited', env: 'dev' as const, messages, params: { temperature: 0.2, seed: 7 } }
    const { id } = (await client.prompts.create({ body })).data
    const { page, faults, close } = await console.visit(
      (await console.server.signedIn('editor', 'elin')).token,
    )
    const playground = playgroundPage(page)
    const chat = playground.side.getByRole('list', { name: 'Messages', exact: true })
    const textOf = (number: number) => chat.getByRole('textbox', { name: `Text of message ${number}` })
    await playground.goto(`?prompt=${id}`)
    await playground.state.filter({ hasText: 'v1, unchanged' }).waitFor()
    await playground.side.getByRole('button', { name: 'Add message' }).click()
    await playground.side.getByRole('button', { name: 'Add message' }).click()
    await chat.getByRole('combobox', { name: 'Role of message 4' }).selectOption('tool')
    await playground.runAll.click()
    // A result without its call is refused beside its field, before anything is sent.
    await chat.getByText('No earlier message has a tool call with this ID').waitFor()
    await chat.getByRole('button', { name: 'Remove message 4' }).click()
    await textOf(3).click()
    await page.keyboard.insertText('Because of {{name}}.')
    await chat.getByRole('button', { name: 'Move message 3 up' }).click()
    await chat.getByRole('combobox', { name: 'Role of message 1' }).selectOption('user')
    await playground.state.filter({ hasText: 'Changed since v1' }).waitFor()
    await playground.section('Model parameters').click()
    await playground.side.getByRole('textbox', { name: 'Temperature' }).fill('0.7')
    await playground.side.getByRole('textbox', { name: 'Seed' }).fill('')
    await playground.value('name').fill('Ada')
    await playground.runAll.click()
    await playground.column(1).ended('done')
    const runId = (await playground.column(1).runLink.innerText()).replace('Run ', '')
    const run = (await console.server.call(`GET /api/runs/${runId}`)).body.data
    expect(run.input.messages).toMatchObject([
      { role: 'user', content: 'Help Ada' },
      { role: 'assistant', content: 'Because of Ada.' },
      { role: 'user', content: 'Why?' },
    ])
    expect(run).toMatchObject({ ref_key: null, params: { temperature: 0.7 } })
    expect(run.params).not.toHaveProperty('seed')

    await playground.saveAs('Draft of chat/edited…')
    await page.getByRole('dialog').getByText('"temperature": 0.7').first().waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await playground.state.filter({ hasText: 'Draft, unchanged' }).waitFor()
    const saved = (await client.prompts.get({ params: { id } })).data
    expect(saved).toMatchObject({
      type: 'chat',
      params: { temperature: 0.7 },
      messages: [
        { role: 'user', content: 'Help {{name}}' },
        { role: 'assistant', content: 'Because of {{name}}.' },
        { role: 'user', content: 'Why?' },
      ],
      served: { messages },
    })
    await playground.runAll.click()
    await playground.column(1).ended('done')
    await eventually(() => playground.column(1).runLink.innerText()).not.toBe(`Run ${runId}`)
    const last = (await playground.column(1).runLink.innerText()).replace('Run ', '')
    expect((await console.server.call(`GET /api/runs/${last}`)).body.data).toMatchObject({
      ref_key: 'chat/edited',
      version: 'draft',
      params: { temperature: 0.7 },
    })

    await playground.goto(`?run=${last}`)
    await playground.origin.waitFor()
    await eventually(() => textOf(2).innerText()).toBe('Because of Ada.')
    expect(await chat.getByRole('listitem').count()).toBe(3)
    expect(await axeFaults(page)).toEqual([])
    expect(faults).toEqual([])
    await close()
  })

  it('opens a run with tool calls and their results as a chat', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'find', arguments: '{"id":7}' } }
    const report = {
      provider: 'mock',
      model: 'mock-small',
      latency_ms: 5,
      status: 'ok' as const,
      input: [
        { role: 'user', content: 'Where is {{it}}?' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'Here' },
      ],
    }
    const client = console.server.client()
    await client.settings.update({ body: { capture: 'full' } })
    const { id } = (await console.server.call('POST /api/runs', { body: report })).body.data
    const { page, faults, close } = await console.visit(
      (await console.server.signedIn('editor', 'enya')).token,
    )
    const playground = playgroundPage(page)
    await playground.goto(`?run=${id}`)
    const chat = playground.side.getByRole('list', { name: 'Messages', exact: true })
    expect(await chat.getByRole('textbox', { name: 'Tool call id' }).inputValue()).toBe('c1')
    await playground.runAll.click()
    await playground.column(1).ended('done')
    const again = (await playground.column(1).runLink.innerText()).replace('Run ', '')
    expect((await console.server.call(`GET /api/runs/${again}`)).body.data.input.messages).toMatchObject([
      { role: 'user', content: 'Where is {{it}}?' },
      { role: 'assistant', tool_calls: [{ id: 'c1', name: 'find', arguments: { id: 7 } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'Here' },
    ])
    expect(faults).toEqual([])
    await close()
  })
})
