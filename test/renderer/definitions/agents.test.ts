import { beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { agentPage, agentsPage } from '../support/pages/agents.ts'
import { columnPart, playgroundPage } from '../support/pages/playground.ts'
import { keyListPart, toast } from '../support/parts.ts'
import { followPath } from '../support/warm.ts'

describe('Agents', { timeout: patience }, () => {
  const console = setUpConsole()
  let editor: string
  let count = 0
  const client = () => console.server.client()
  const add = async (overrides: Record<string, unknown> = {}) => {
    count += 1
    const body = { key: `agents/agent-${count}`, content: 'Hello {{name}}', ...overrides }
    return (await client().agents.create({ body })).data
  }
  const stored = async (id: string) => (await client().agents.get({ params: { id } })).data
  const open = async (id: string, search = '', token = editor) => {
    const visit = await console.visit(token)
    const agent = agentPage(visit.page)
    await agent.goto(id, search)
    return { ...visit, agent }
  }
  beforeAll(async () => {
    editor = (await console.server.signedIn('editor', 'edda')).token
  })

  it('is created, run, edited, compared and rolled back', async () => {
    const { page, faults, close } = await console.visit(editor)
    const list = agentsPage(page)
    await list.goto()
    await list.create.click()
    await list.dialog.field('Key').fill('main/greet')
    await list.dialog.choose('Custom text')
    await list.dialog.field('Text').fill('Hello {{name}}')
    await list.dialog.button('Create agent').click()
    const agent = agentPage(page)
    await agent.status.filter({ hasText: 'v1 is live' }).waitFor()
    await agent.field('name').fill('world')
    await page.keyboard.press('ControlOrMeta+Enter')
    await agent.runLink.waitFor()
    await agent.answer.getByText('mock completion (mock-small): Hello world').first().waitFor()
    const [run] = (await client().runs.list({ query: { ref_key: 'main/greet' } })).data
    expect(run).toMatchObject({ source: 'agent', status: 'ok', version: 'v1', user: 'edda' })
    expect(await agent.runLink.innerText()).toBe(`Run ${run?.id}`)

    await agent.write('Good morning {{name}}')
    await agent.status.filter({ hasText: 'Unsaved changes' }).waitFor()
    await agent.field('Message (optional)').fill('Politer')
    await page.keyboard.press('ControlOrMeta+s')
    await agent.status.filter({ hasText: 'v2 is live' }).waitFor()
    await agent.run.click()
    await agent.answer.getByText('Good morning world').first().waitFor()

    await agent.tab('Versions').click()
    await agent.version('v2').getByText('Politer').waitFor()
    await agent.diff.locator('mark').first().waitFor()
    expect(await axeFaults(page, 'main')).toEqual([])
    await agent.version('v1').getByRole('button', { name: 'Roll back to v1' }).click()
    await agent.dialog.button('Roll back to v1').click()
    await agent.version('v3').getByText('rolled back to v1').waitFor()
    await agent.tab('Edit').click()
    await eventually(() => agent.content.innerText()).toBe('Hello {{name}}')
    const { id } = (await client().agents.list({ query: { key: 'main/greet' } })).data[0] ?? { id: '' }
    expect(await stored(id)).toMatchObject({ version: 'v3', content: 'Hello {{name}}' })
    await agent.tab('Runs').click()
    await eventually(() => page.getByRole('table', { name: 'Latest runs' }).locator('tbody tr').count()).toBe(
      2,
    )
    expect(await axeFaults(page, 'main')).toEqual([])
    await agent.tab('Audit').click()
    await page.getByRole('list', { name: 'Changes' }).getByRole('link').first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('streams, stops, and leaves one run with that status', async () => {
    const { id, key } = await add({ params: { mock: { first_token_ms: 200, tokens_per_second: 2 } } })
    const { agent, close } = await open(id)
    await agent.field('name').fill('a world that takes its time')
    await agent.run.click()
    await agent.answer.getByText('mock').first().waitFor()
    await agent.stop.click()
    await agent.answer.getByText('Stopped. The partial response is shown above.').waitFor()
    await eventually(async () => (await client().runs.list({ query: { ref_key: key } })).data.length).toBe(1)
    const [run] = (await client().runs.list({ query: { ref_key: key } })).data
    expect(run).toMatchObject({ status: 'error' })
    expect(run?.error).toContain('cancelled')
    await close()
  })

  it('shows why a call failed, and links to its run', async () => {
    const { id } = await add({ params: { mock: { fail: 'middle' } } })
    const { agent, page, close } = await open(id)
    await agent.field('name').fill('x')
    await agent.run.click()
    await agent.answer.getByRole('alert').getByText('The model provider failed').waitFor()
    await agent.runLink.click()
    await page.getByTestId('drawer').getByText('provider_error').first().waitFor()
    await close()
  })

  it('lists its keys with their names on the keyboard, keeps invalid JSON, and shows the error at the field', async () => {
    const { id } = await add()
    const { agent, page, close } = await open(id)
    await agent.content.waitFor()
    await page.keyboard.press('?')
    const list = keyListPart(page)
    await list.line('Save').waitFor()
    const keys = await list.keys()
    expect(keys).toEqual(expect.arrayContaining(['Ctrl K', 'Ctrl S']))
    expect(keys.join()).not.toContain('mod')
    await list.close()
    await agent.field('JSON Schema of the response').fill('{"type":')
    await page.getByText(/^Not valid JSON/).waitFor()
    await agent.save.click({ force: true })
    expect((await stored(id)).version).toBe('v1')
    await agent.field('JSON Schema of the response').fill('{"type":"object"}')
    await agent.save.click()
    await agent.status.filter({ hasText: 'v2 is live' }).waitFor()
    expect((await stored(id)).response_schema).toEqual({ type: 'object' })
    await close()
  })

  it('asks before changes are discarded, and shows both versions if another user saved first', async () => {
    const { id } = await add()
    const { agent, page, close } = await open(id)
    await agent.write('Mine')
    await agent.status.filter({ hasText: 'Unsaved changes' }).waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await agent.dialog.dialog.getByText('have not been saved').waitFor()
    await agent.dialog.button('Cancel').click()
    await client().agents.update({ params: { id }, body: { content: 'Theirs' } })
    await agent.status.filter({ hasText: 'service-token saved v2' }).waitFor()
    await agent.save.click()
    await agent.dialog.dialog.getByText('Someone else saved first').waitFor()
    await agent.dialog.dialog.locator('mark').first().waitFor()
    await agent.dialog.button('Keep my version').click()
    await agent.status.filter({ hasText: 'v3 is live' }).waitFor()
    expect((await stored(id)).content).toBe('Mine')
    await agent.write('Again mine')
    await client().agents.remove({ params: { id } })
    await page.getByText('exist only on this page').waitFor()
    await agent.tab('Versions').click()
    await page.getByTestId('error').first().waitFor()
    expect(await page.getByTestId('error').count()).toBe(1)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('exist only on this page').waitFor({ state: 'detached' })
    await close()
  })

  it('uses the served prompt, and reports if there is none', async () => {
    const { id } = await add({ content: undefined, prompt_key: 'served/greet', env: 'dev' })
    const { agent, page, close } = await open(id)
    await page.getByText('No prompt has this key in dev').waitFor()
    const body = { key: 'served/greet', env: 'dev' as const, content: 'Served {{who}}' }
    await client().prompts.create({ body })
    await agent.field('who').fill('you')
    await agent.run.click()
    await agent.answer.getByText('Served you').first().waitFor()
    await close()
  })

  it('fits a narrow window with a response, and opens in the Playground with all its fields', async () => {
    const { id } = await add({
      messages: [{ role: 'system', content: 'Be brief.' }],
      tools: [{ name: 'find', description: 'Finds', parameters: { type: 'object' } }],
      params: { temperature: 0.3 },
      model: 'mock-large',
    })
    const { agent, page, close } = await open(id)
    await agent.field('name').fill('world')
    await agent.run.click()
    await agent.runLink.waitFor()
    await page.setViewportSize({ width: 640, height: 900 })
    expect(await axeFaults(page, 'main')).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('link', { name: 'Open in Playground' }).click()
    const playground = playgroundPage(page)
    await eventually(() => playground.text.innerText()).toBe('Hello {{name}}')
    await columnPart(page, 1).run.click()
    await columnPart(page, 1).ended('done')
    await columnPart(page, 1).answer.getByText('Hello world').first().waitFor()
    const [run] = (await client().runs.list({ query: { source: 'playground' } })).data
    expect(run).toMatchObject({ model: 'mock-large', status: 'ok' })
    expect((await client().runs.get({ params: { id: run?.id ?? 0 } })).data.params).toMatchObject({
      temperature: 0.3,
    })
    await close()
  })

  it('is exported, imported, duplicated and deleted in bulk', async () => {
    const { key } = await add({ key: 'bulk/one' })
    const { page, close } = await console.visit(editor)
    const list = agentsPage(page)
    await list.goto('?q=bulk')
    await list.row(key).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'YAML' }).click()
    expect((await download).suggestedFilename()).toContain('agents')
    await list.import.click()
    const text = 'agents:\n  - key: bulk/two\n    content: Hi\n'
    await list.dialog.dialog.getByLabel('Or paste text').fill(text)
    await list.dialog.button('Preview').click()
    await list.dialog.dialog.getByText('1 created', { exact: true }).waitFor()
    await list.dialog.button('Import 1 item').click()
    await list.row('bulk/two').waitFor()
    await list.row('bulk/two').getByRole('button', { name: 'Actions for bulk/two' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate…' }).click()
    await list.dialog.button('Duplicate').click()
    await page.getByRole('heading', { level: 1, name: 'bulk/two-copy' }).waitFor()
    await followPath(page, '/agents?q=bulk')
    await eventually(() => list.rows.count()).toBe(3)
    await list.checkAll.check()
    await list.bulk.action('Delete…').click()
    await list.dialog.field(/Type/).fill('delete 3 agents')
    await list.dialog.button('Delete').click()
    await toast(page, '3 agents deleted.').waitFor()
    await list.empty.getByText('No agents match').waitFor()
    await close()
  })

  it('lets a viewer run but not edit, with the reason', async () => {
    const { id } = await add()
    const { token } = await console.server.signedIn('viewer')
    const { agent, page, close } = await open(id, '', token)
    await page.getByText('You can view and run this, but not change it.').waitFor()
    await agent.content.click()
    await page.keyboard.type('x')
    expect(await agent.content.innerText()).toBe('Hello {{name}}')
    await agent.save.hover()
    await page
      .getByRole('tooltip')
      .filter({ hasText: 'Requires the role Editor; yours is Viewer.' })
      .waitFor()
    await agent.field('name').fill('viewer')
    await agent.run.click()
    await agent.answer.getByText('Hello viewer').first().waitFor()
    await close()
  })
})
