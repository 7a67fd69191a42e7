import { beforeAll, describe, expect, it } from 'vitest'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { playgroundPage, waitUntilStored } from '../support/pages/playground.ts'

describe('The Playground', { timeout: patience }, () => {
  const console = setUpConsole()
  let editor: string
  let prompt: string
  const open = async (search = '', token = editor) => {
    const { page, faults, close } = await console.visit(token)
    const playground = playgroundPage(page)
    await playground.goto(search)
    await playground.column(1).card.waitFor()
    return { page, playground, faults, close }
  }
  const runsOf = async (query: string) =>
    (await console.server.call(`GET /api/runs?sort=created_at&limit=200&${query}`)).body.data
  beforeAll(async () => {
    editor = (await console.server.signedIn('editor', 'edda')).token
    const client = console.server.client()
    const variables = [{ name: 'company', default: 'Acme', description: 'Who writes' }]
    const body = {
      key: 'support/greet',
      content: 'Hello {{name}} of {{company}}',
      env: 'prod' as const,
      variables,
    }
    prompt = (await client.prompts.create({ body })).data.id
    await client.prompts.update({ params: { id: prompt }, body: { content: 'Dear {{name}} of {{company}}' } })
  })

  it('runs a custom text, with the figures of its run', async () => {
    const { page, playground, faults, close } = await open()
    await playground.write('Hi {{who}}')
    await playground.value('who').fill('world')
    // The element in which Mantine measures the text does not exist.
    expect(await page.locator('body > textarea').count()).toBe(0)
    await page.keyboard.press('ControlOrMeta+Enter')
    const column = playground.column(1)
    await column.ended('done')
    expect(await column.answer.innerText()).toBe('mock completion (mock-small): Hi world')
    expect(await column.figure('out').innerText()).toMatch(/^~\d+$/)
    expect(await column.figure('total').innerText()).toMatch(/ms$/)
    expect(await column.figure('cost').innerText()).toBe('$0.00')
    expect(await column.finish.innerText()).toBe('stop')
    await column.card.getByRole('button', { name: 'Show prompt' }).click()
    await column.card.getByText('Hi world', { exact: true }).waitFor()
    const id = (await column.runLink.innerText()).replace('Run ', '')
    await column.runLink.click()
    await page.getByTestId('drawer').getByText(`Run ${id}`).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('asks for missing values and sends nothing without them', async () => {
    const { page, playground, close } = await open()
    let sent = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/api/playground/run')) sent += 1
    })
    await playground.runAll.click()
    await playground.side.getByText('Enter text or choose a prompt first.').waitFor()
    await playground.write('{{one}} and {{two}}')
    await playground.value('one').fill('1')
    await playground.runAll.click()
    await playground.side.getByText('Enter a value.').waitFor()
    expect(await playground.value('two').getAttribute('aria-invalid')).toBe('true')
    expect(await playground.value('one').getAttribute('aria-invalid')).not.toBe('true')
    expect(sent).toBe(0)
    await playground.value('two').fill('2')
    await playground.runAll.click()
    await playground.column(1).ended('done')
    expect(sent).toBe(1)
    await close()
  })

  it('compares three models and versions of a prompt concurrently, each an entry of the run log', async () => {
    const { page, playground, faults, close } = await open()
    await playground.pick('support/greet')
    await playground.prodLine.waitFor()
    expect(await playground.text.innerText()).toBe('Dear {{name}} of {{company}}')
    await playground.value('name').fill('Ada')
    await playground.add.click()
    await playground.add.click()
    await playground.column(2).model.fill('mock-large')
    await page.keyboard.press('Escape')
    await playground.column(3).version.selectOption('v1')
    await playground.runAll.click()
    for (const number of [1, 2, 3]) await playground.column(number).ended('done')
    expect(await playground.column(1).answer.innerText()).toBe(
      'mock completion (mock-small): Dear Ada of Acme',
    )
    expect(await playground.column(2).answer.innerText()).toBe(
      'mock completion (mock-large): Dear Ada of Acme',
    )
    expect(await playground.column(3).answer.innerText()).toBe(
      'mock completion (mock-small): Hello Ada of Acme',
    )
    const runs: { version: string; model: string; user: string }[] = await runsOf('ref_key=support/greet')
    expect(runs.map(({ version, model, user }) => `${model} ${version} ${user}`).toSorted()).toEqual([
      'mock-large draft edda',
      'mock-small draft edda',
      'mock-small v1 edda',
    ])
    await playground.compare.click()
    await eventually(() => playground.dialog.dialog.locator('mark').allInnerTexts()).toEqual([
      'small',
      'large',
    ])
    await playground.dialog.dialog.getByLabel('Second response').selectOption('2')
    await eventually(() => playground.dialog.dialog.locator('mark').allInnerTexts()).toEqual([
      'Dear',
      'Hello',
    ])
    expect(faults).toEqual([])
    await close()
  })

  it('stops one and continues the others, with it as cancelled in the log, and stops all by keyboard', async () => {
    const { page, playground, close } = await open()
    await playground.write('one two three four five six seven eight nine ten')
    await playground.add.click()
    await playground.column(1).set({ 'Tokens per second': '12' })
    await playground.column(2).set({ 'Tokens per second': '2', 'Max output tokens': '900' })
    await playground.runAll.click()
    await playground.column(2).answer.getByText('mock completion').waitFor()
    await playground.column(2).stop.click()
    await playground.column(2).ended('stopped')
    expect(await playground.column(2).answer.innerText()).toContain('The partial response is shown above.')
    await playground.column(1).ended('done')
    expect(await playground.column(1).answer.innerText()).toContain('nine ten')
    await eventually(() => runsOf('error_type=cancelled').then((runs) => runs.length)).toBe(1)
    await playground.column(2).set({ 'Tokens per second': '' })
    await playground.column(2).run.click()
    await playground.column(2).ended('done')
    for (const number of [1, 2]) await playground.column(number).set({ 'First token delay (ms)': '60000' })
    await playground.runAll.click()
    for (const number of [1, 2]) await playground.column(number).running()
    await page.keyboard.press('ControlOrMeta+.')
    for (const number of [1, 2]) await playground.column(number).ended('stopped')
    expect(await playground.stopAll.count()).toBe(0)
    await close()
  })

  it('shows a failure in its column, with its kind, its request and its run, and retries', async () => {
    const { playground, close } = await open()
    await playground.write('one two three four')
    await playground.add.click()
    await playground.column(2).set({ 'Fail at': 'middle' })
    await playground.runAll.click()
    const [first, second] = [playground.column(1), playground.column(2)]
    await first.ended('done')
    await second.ended('failed')
    expect(await second.answer.innerText()).toContain('mock completion')
    expect(await second.failure.innerText()).toContain('provider_error')
    expect(await second.failure.innerText()).toContain('as requested')
    await second.failure.getByRole('button', { name: 'Copy request ID' }).waitFor()
    const id = (await second.runLink.innerText()).replace('Run ', '')
    const logged = (await console.server.call(`GET /api/runs/${id}`)).body.data
    expect(logged).toMatchObject({ status: 'error', error_type: 'provider_error', source: 'playground' })
    await second.set({ 'Fail at': '' })
    await second.failure.getByRole('button', { name: 'Retry' }).click()
    await second.ended('done')
    expect(await second.failure.count()).toBe(0)
    await close()
  })

  it('keeps everything over a reload; interrupted streams are marked', async () => {
    const { page, playground, close } = await open()
    await playground.write('one two three {{last}}')
    await playground.value('last').fill('four')
    await playground.add.click()
    await playground.column(2).set({ 'Fail at': 'stall' })
    await playground.runAll.click()
    await playground.column(1).ended('done')
    await playground.column(2).answer.getByText('mock completion (mock-small):').waitFor()
    await waitUntilStored(page, /"status":"done".*"status":"running"[^}]*"text":"mock completion/)
    await page.reload()
    await playground.column(2).ended('cut')
    expect(await playground.column(2).answer.innerText()).toContain('mock completion')
    expect(await playground.column(1).answer.innerText()).toBe(
      'mock completion (mock-small): one two three four',
    )
    await eventually(() => playground.text.innerText()).toBe('one two three {{last}}')
    expect(await playground.value('last').inputValue()).toBe('four')
    await close()
  })

  it('continues while another page is open', async () => {
    const { page, playground, close } = await open()
    await playground.write('one two three four')
    await playground.column(1).set({ 'First token delay (ms)': '1500' })
    await playground.runAll.click()
    await playground.column(1).running()
    await page.getByRole('link', { name: 'Prompts', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Prompts' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await playground.column(1).ended('done')
    expect(await playground.column(1).answer.innerText()).toContain('one two three four')
    await close()
  })

  it('explains why a provider cannot be called and who can help, and names invalid parameters', async () => {
    await console.server.signedIn('admin', 'ada')
    const { page, playground, close } = await open()
    const column = playground.column(1)
    await column.provider.selectOption('openai')
    await column.notConfigured.getByText('OpenAI is not set up').waitFor()
    await column.notConfigured.getByText(/ada/).waitFor()
    await column.run.click({ force: true })
    expect(await column.card.getAttribute('data-status')).toBe('none')
    await column.provider.selectOption('mock')
    await column.set({ Temperature: '3' })
    await column.card.getByText('Correct the parameters: temperature.').waitFor()
    await column.set({ Temperature: '0.5' })
    await playground.write('x')
    await page.keyboard.press('ControlOrMeta+Enter')
    await column.ended('done')
    await close()
  })
})
