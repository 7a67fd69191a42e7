import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { eventually, patience } from '../support/console.ts'
import { withPlayground } from '../support/fixtures/playground.ts'
import { agentPage } from '../support/pages/agents.ts'
import { loginPage } from '../support/pages/login.ts'
import { playgroundPage } from '../support/pages/playground.ts'
import { toast } from '../support/parts.ts'
import { expectNoDialog } from '../support/shell.ts'

describe('Saving in the Playground', { timeout: patience }, () => {
  const fixture = withPlayground()
  const { add, stored, open } = fixture

  it('saves a changed text as the draft, and continues to publish it', async () => {
    const prompt = await add()
    const { page, playground, close } = await open(`?prompt=${prompt.id}`)
    await playground.state.getByText('v1, unchanged').waitFor()
    await playground.write('Dear {{name}}')
    await playground.state.getByText('Changed since v1').waitFor()
    await playground.saveAs(`Draft of ${prompt.key}`)
    await eventually(() => playground.dialog.dialog.locator('mark').allInnerTexts()).toEqual([
      'Hello',
      'Dear',
    ])
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent += 1
    })
    await playground.dialog.button('Save draft').evaluate((button: HTMLElement) => {
      button.click()
      button.click()
    })
    await toast(page, `Draft of ${prompt.key} saved.`).waitFor()
    expect(sent).toBe(1)
    await playground.state.getByText('Draft, unchanged').waitFor()
    expect(await stored(prompt.id)).toMatchObject({
      content: 'Dear {{name}}',
      version: 'v1',
      has_draft: true,
    })
    await playground.write('Good day {{name}}')
    await playground.saveAs(`Draft of ${prompt.key}`)
    await playground.dialog.button('Save and publish…').click()
    await page.waitForURL(`**/prompts/${prompt.id}?open=publish`)
    await playground.dialog.button('Publish v2 in dev').click()
    await eventually(async () => (await stored(prompt.id)).served?.content).toBe('Good day {{name}}')
    await close()
  })

  it('shows what another user saved meanwhile, and replaces it only on request', async () => {
    const prompt = await add()
    const { playground, close } = await open(`?prompt=${prompt.id}`)
    await playground.state.waitFor()
    await playground.write('Mine {{name}}')
    await playground.saveAs(`Draft of ${prompt.key}`)
    await playground.dialog.button('Save draft').waitFor()
    await fixture.console.server
      .client()
      .prompts.update({ params: { id: prompt.id }, body: { content: 'Theirs' } })
    await playground.dialog.button('Save draft').click()
    await playground.dialog.dialog.getByText('service-token has saved another draft').waitFor()
    expect((await stored(prompt.id)).content).toBe('Theirs')
    await playground.dialog.button('Replace their draft').click()
    await playground.dialog.dialog.waitFor({ state: 'detached' })
    expect((await stored(prompt.id)).content).toBe('Mine {{name}}')
    await close()
  })

  it('saves a text as a new prompt, a draft that is not served', async () => {
    await add({ key: 'play/taken' })
    const { page, playground, close } = await open()
    await playground.write('Brand new {{thing}}')
    await playground.saveAs('New prompt')
    await playground.dialog.field('Key').fill('play/taken')
    await playground.dialog.button('Create draft').click()
    await playground.dialog.dialog.getByText(/taken/).last().waitFor()
    await playground.dialog.field('Key').fill('play/brand-new')
    await playground.dialog.button('Create draft').click()
    await toast(page, 'play/brand-new created as a draft.').waitFor()
    await playground.state.getByText('Draft, unchanged').waitFor()
    const { data } = await fixture.console.server.client().prompts.list({ query: { key: 'play/brand-new' } })
    expect(data).toMatchObject([{ content: 'Brand new {{thing}}', version: null, env: 'dev' }])
    await close()
  })

  it('saves text, messages and model as an agent, with its own or the served text', async () => {
    const prompt = await add()
    const { page, playground, close } = await open(`?prompt=${prompt.id}`)
    await playground.value('name').fill('Ada')
    await playground.column(1).set({ Temperature: '0.4' })
    await playground.saveAs('Agent')
    const { dialog } = playground
    await dialog.field('Key').fill('')
    await dialog.button('Create agent').click()
    await dialog.dialog.getByText('Enter a key.').waitFor()
    await dialog.field('Key').fill('play/greeter')
    expect(
      await dialog.dialog
        .getByRole('switch', { name: `Use the live version of ${prompt.key} in dev` })
        .isChecked(),
    ).toBe(true)
    await dialog.button('Create agent').click()
    await toast(page, 'Agent play/greeter created.').waitFor()

    await playground.write('Goodbye {{name}}')
    await playground.saveAs('Agent')
    await dialog.field('Key').fill('play/greeter')
    await dialog.button('Create agent').click()
    await dialog.dialog.getByText(/taken/).last().waitFor()
    await dialog.field('Key').fill('play/leaver')
    await dialog.button('Create agent').click()
    await toast(page, 'Agent play/leaver created.').waitFor()

    const { data } = await fixture.console.server.client().agents.list({ query: { q: 'play', sort: 'key' } })
    expect(data.filter(({ key }) => key.startsWith('play/'))).toMatchObject([
      {
        key: 'play/greeter',
        prompt_key: prompt.key,
        env: 'dev',
        content: null,
        params: { temperature: 0.4 },
      },
      { key: 'play/leaver', prompt_key: null, content: 'Goodbye {{name}}' },
    ])
    await close()
  })

  it('lets a viewer run, and explains which role saving requires', async () => {
    const { token } = await fixture.console.server.signedIn('viewer')
    const prompt = await add()
    const { page, playground, close } = await open(`?prompt=${prompt.id}`, token)
    await playground.value('name').fill('Ada')
    await playground.runAll.click()
    await playground.column(1).ended('done')
    expect(await playground.column(1).answer.innerText()).toContain('Hello Ada')
    await page.getByRole('button', { name: 'Save as' }).click()
    await page.getByRole('menuitem', { name: 'New prompt' }).hover()
    await page
      .getByRole('tooltip')
      .filter({ hasText: 'Requires the role Editor; yours is Viewer.' })
      .waitFor()
    await page.getByRole('menuitem', { name: 'New prompt' }).click({ force: true })
    await page.keyboard.press('Escape')
    await expectNoDialog(page)
    await close()
  })

  it('has a history that restores outputs, and can be cleared', async () => {
    const { page, playground, close } = await open()
    for (const text of ['first text', 'second text']) {
      await playground.write(text)
      await playground.runAll.click()
      await playground.column(1).answer.getByText(text).waitFor()
      await playground.column(1).ended('done')
    }
    await playground.history.click()
    await eventually(() => playground.entries.count()).toBe(2)
    await playground.entries.filter({ hasText: 'first text' }).getByRole('button').first().click()
    await eventually(() => playground.text.innerText()).toBe('first text')
    expect(await playground.column(1).answer.innerText()).toBe('mock completion (mock-small): first text')
    await page.reload()
    await playground.history.click()
    await playground.entries.first().waitFor()
    await page.getByRole('button', { name: 'Clear history' }).click()
    const question = page.getByRole('dialog', { name: 'Clear the history?' })
    await question.getByRole('button', { name: 'Clear history' }).click()
    await page.getByText('No runs yet').waitFor()
    await close()
  })

  it('stores nothing of one user for another', async () => {
    const { server } = fixture.console
    const { data } = await server.client().agents.create({ body: { key: 'own', content: 'Hi {{who}}' } })
    const [ada, karl] = [await server.signedIn('editor'), await server.signedIn('editor', 'karl')]
    const { page, playground, close } = await open('', ada.token)
    await playground.write('a secret plan')
    await playground.runAll.click()
    await playground.column(1).ended('done')
    await page.goto(`/agents/${data.id}`)
    const agent = agentPage(page)
    await agent.field('who').fill('a secret name')
    await agent.run.click()
    await agent.runLink.waitFor()
    await loginPage(page).endSession(server, ada)
    await loginPage(page).signIn(karl.username, karl.password)
    expect(await agent.field('who').inputValue()).toBe('')
    expect(await page.getByText('a secret').count()).toBe(0)
    await playground.goto()
    await playground.column(1).card.waitFor()
    expect(await playground.column(1).card.getAttribute('data-status')).toBe('none')
    await playground.history.click()
    await page.getByText('No runs yet').waitFor()
    expect(await page.getByText('a secret').count()).toBe(0)
    await close()
  })

  it('saves values as a test case, also to and from a file, and keeps those of other tabs', async () => {
    const { page, playground, close } = await open()
    // Longer than the variables of prompts.
    const name = 'n'.repeat(129)
    const expected = 'calm'.repeat(25_001)
    await playground.write(`{{mood}} {{${name}}}`)
    await playground.value('mood').fill('angry')
    await playground.value(name).fill('Ada')
    await playground.saveAs('Test case')
    await playground.dialog.field('Save values as').fill('Angry Ada')
    await playground.dialog.field('Expected result').fill(expected)
    await playground.dialog.button('Save case').click()
    const downloading = page.waitForEvent('download')
    await playground.dialog.button('Export 1 case').click()
    const file = await (await downloading).path()
    expect(await readFile(file, 'utf8')).toBe(
      `{"name":"Angry Ada","variables":{"mood":"angry","${name}":"Ada"},"expected":"${expected}"}\n`,
    )
    await playground.dialog.button('Remove Angry Ada').click()
    await page.getByText('No test cases yet').waitFor()
    const other = playgroundPage(await page.context().newPage())
    await other.goto()
    await other.saveAs('Test case')
    await other.dialog.field('Save values as').fill('Other')
    await other.dialog.button('Save case').click()
    await other.dialog.button('Use Other').waitFor()
    const choosing = page.waitForEvent('filechooser')
    await playground.dialog.button('Import…').click()
    const chooser = await choosing
    await chooser.setFiles({
      name: 'bad.jsonl',
      mimeType: 'text/plain',
      buffer: Buffer.from('{"name":""}\n'),
    })
    await playground.dialog.dialog.getByText('Nothing was imported. Line 1:').waitFor()
    const again = page.waitForEvent('filechooser')
    await playground.dialog.button('Import…').click()
    await (await again).setFiles(file)
    await playground.dialog.button('Use Angry Ada').waitFor()
    await playground.dialog.button('Use Other').waitFor()
    await page.keyboard.press('Escape')
    await playground.value('mood').fill('happy')
    await page.getByRole('button', { name: 'Test cases' }).click()
    await playground.dialog.field('Expected result').fill('half typed')
    await playground.dialog.button('Use Angry Ada').click()
    const discard = page.getByRole('button', { name: 'Discard', exact: true })
    await discard.waitFor()
    expect(await playground.value('mood').inputValue()).toBe('happy')
    await discard.click()
    await eventually(() => playground.value('mood').inputValue()).toBe('angry')
    await close()
  })
})
