import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { loginPage } from '../support/pages/login.ts'
import { promptPage, promptsPage } from '../support/pages/prompts.ts'
import { restoreReplies } from '../support/replies.ts'
import { expectNoDialog, shell } from '../support/shell.ts'

describe('Editing a prompt', { timeout: patience }, () => {
  let console: Console
  let editor: string
  let count = 0
  const add = async (overrides: Record<string, unknown> = {}) => {
    count += 1
    const body = { key: `edit/prompt-${count}`, content: 'Hello {{name}}', env: 'dev' as const, ...overrides }
    return (await console.server.client().prompts.create({ body })).data
  }
  const stored = async (id: string) => (await console.server.client().prompts.get({ params: { id } })).data
  const open = async (id: string, search = '', token = editor) => {
    const { page, faults, close } = await console.visit(token)
    const prompt = promptPage(page)
    await prompt.goto(id, search)
    return { page, prompt, faults, close }
  }
  beforeAll(async () => {
    console = await openConsole()
    editor = (await console.server.signedIn('editor', 'edda')).token
  })
  afterAll(() => console.close())

  it('saves the draft by keyboard without serving it', async () => {
    const { id } = await add()
    const { page, prompt, faults, close } = await open(id)
    await prompt.status.filter({ hasText: 'v1 is live, no draft changes' }).waitFor()
    await prompt.write('Good morning {{name}} of {{company}}')
    await prompt.status.filter({ hasText: 'Unsaved changes' }).waitFor()
    await page.keyboard.press('ControlOrMeta+Enter')
    await prompt.status.filter({ hasText: 'Draft differs from v1 (live)' }).waitFor()
    const now = await stored(id)
    expect(now.content).toBe('Good morning {{name}} of {{company}}')
    expect(now.served?.content).toBe('Hello {{name}}')
    expect(faults).toEqual([])
    await close()
  })

  it('shows variables as pills, completes them and previews them with sample values', async () => {
    const { id } = await add({ variables: [{ name: 'company', default: 'Acme' }] })
    const { page, prompt, close } = await open(id)
    await prompt.content.locator('.cm-variable').filter({ hasText: '{{name}}' }).waitFor()
    await prompt.content.click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' of {{comp')
    // By pointer, because the editor ignores Enter for a list that has just opened.
    await page.getByRole('option', { name: 'company' }).click()
    await eventually(() => prompt.content.innerText()).toBe('Hello {{name}} of {{company}}')
    await eventually(() => prompt.preview.innerText()).toBe('Hello {{name}} of Acme')
    await page.getByText('1 missing value: name').waitFor()
    await prompt.sample('name').fill('Ada')
    await eventually(() => prompt.preview.innerText()).toBe('Hello Ada of Acme')
    await page.getByText('All variables have a value.').waitFor()
    await close()
  })

  it('declares a variable with default and description', async () => {
    const { id } = await add()
    const { page, prompt, close } = await open(id)
    await page.getByRole('button', { name: 'Declare name', exact: true }).click()
    await page.getByRole('textbox', { name: 'Default' }).fill('friend')
    await page.getByRole('textbox', { name: 'Description' }).first().fill('Who is greeted')
    await eventually(() => prompt.preview.innerText()).toBe('Hello friend')
    await prompt.save.click()
    await prompt.status.filter({ hasText: 'Draft differs' }).waitFor()
    expect((await stored(id)).variables).toMatchObject([
      { name: 'name', default: 'friend', description: 'Who is greeted', declared: true, used: true },
    ])
    await close()
  })

  it('rejects names of inherited properties, and keeps the text', async () => {
    const { id } = await add()
    const { page, prompt, close } = await open(id)
    await prompt.write('Hi {{constructor}}')
    await page.getByRole('alert').filter({ hasText: '{{constructor}}' }).waitFor()
    await prompt.save.click()
    await page.getByRole('alert').filter({ hasText: 'content' }).waitFor()
    await eventually(() => prompt.content.innerText()).toBe('Hi {{constructor}}')
    expect((await stored(id)).content).toBe('Hello {{name}}')
    await close()
  })

  it('asks before unsaved text is discarded, and keeps it across the tabs of the prompt', async () => {
    const { id } = await add()
    const { page, prompt, close } = await open(id)
    await prompt.write('Half a thought')
    await prompt.tab('Versions').click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await prompt.tab('Edit').click()
    await eventually(() => prompt.content.innerText()).toBe('Half a thought')
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await prompt.dialog.dialog.getByText('have not been saved').waitFor()
    await prompt.dialog.button('Cancel').click()
    await eventually(() => prompt.content.innerText()).toBe('Half a thought')
    expect(new URL(page.url()).pathname).toBe(`/prompts/${id}`)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await prompt.dialog.button('Discard').click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    await close()
  })

  it('warns when the page itself is closed', async () => {
    const { id } = await add()
    const { page, prompt, close } = await open(id)
    await prompt.write('Half a thought')
    const dialogShown = page.waitForEvent('dialog')
    const navigation = page.goto('about:blank').catch(() => undefined)
    const dialog = await dialogShown
    expect(dialog.type()).toBe('beforeunload')
    await dialog.accept()
    await navigation
    await close()
  })

  describe('when another user saved first', () => {
    const openConflict = async () => {
      const prompt = await add({ content: 'One\nTwo\nThree' })
      const visit = await open(prompt.id)
      await visit.prompt.content.waitFor()
      await visit.prompt.write('One\nMine\nThree')
      await visit.prompt.status.filter({ hasText: 'Unsaved changes' }).waitFor()
      await console.server
        .client()
        .prompts.update({ params: { id: prompt.id }, body: { content: 'One\nTheirs\nThree' } })
      await visit.prompt.status.filter({ hasText: 'service-token saved another draft' }).waitFor()
      await visit.prompt.save.click()
      await visit.prompt.dialog.dialog.getByText('Theirs', { exact: true }).waitFor()
      return { id: prompt.id, ...visit }
    }

    it('shows both and uses theirs', async () => {
      const { id, prompt, close } = await openConflict()
      const marks = await prompt.dialog.dialog.locator('mark').allInnerTexts()
      expect(marks).toEqual(['Theirs', 'Mine'])
      await prompt.dialog.button('Use their version').click()
      await eventually(() => prompt.content.innerText()).toBe('One\nTheirs\nThree')
      await prompt.status.filter({ hasText: 'Draft differs' }).waitFor()
      expect(await prompt.status.innerText()).not.toContain('Unsaved')
      expect((await stored(id)).content).toBe('One\nTheirs\nThree')
      await close()
    })

    it('keeps mine on request', async () => {
      const { id, prompt, close } = await openConflict()
      await prompt.dialog.button('Keep my version').click()
      await prompt.dialog.dialog.waitFor({ state: 'detached' })
      await eventually(async () => (await stored(id)).content).toBe('One\nMine\nThree')
      await close()
    })

    it('lets the user merge both, with theirs visible', async () => {
      const { id, prompt, close } = await openConflict()
      await prompt.dialog.button('Merge').click()
      await prompt.merging.getByText('Theirs', { exact: true }).waitFor()
      await prompt.write('One\nTheirs\nMine\nThree')
      await prompt.save.click()
      await prompt.merging.waitFor({ state: 'detached' })
      expect((await stored(id)).content).toBe('One\nTheirs\nMine\nThree')
      await close()
    })
  })

  it('merges changes of two users in different fields without asking', async () => {
    const { id } = await add()
    const { prompt, close } = await open(id)
    await prompt.write('Mine {{name}}')
    await console.server.client().prompts.update({ params: { id }, body: { description: 'Theirs' } })
    await prompt.save.click()
    await prompt.status.filter({ hasText: 'Draft differs' }).waitFor()
    expect(await stored(id)).toMatchObject({ content: 'Mine {{name}}', description: 'Theirs' })
    await close()
  })

  it.each([
    ['merges the second change too', { category: 'theirs' }, false],
    ['asks if the second change conflicts', { content: 'Theirs {{name}}' }, true],
  ])('if others save twice meanwhile, %s', async (_name, second, isConflict) => {
    const { id } = await add()
    const { page, prompt, close } = await open(id)
    await prompt.write('Mine {{name}}')
    const changes = [{ description: 'Theirs' }, second]
    await page.route(`**/api/prompts/${id}`, async (route) => {
      const body = route.request().method() === 'PATCH' ? changes.shift() : undefined
      if (body !== undefined) await console.server.client().prompts.update({ params: { id }, body })
      await route.continue()
    })
    await prompt.save.click()
    if (isConflict) await prompt.dialog.button('Keep my version').click()
    await eventually(() => stored(id)).toMatchObject({
      content: 'Mine {{name}}',
      description: 'Theirs',
      ...(!isConflict && second),
    })
    await prompt.dialog.dialog.waitFor({ state: 'detached' })
    await restoreReplies(page)
    await close()
  })

  it('joins changes of different lines, and asks only about lines that both changed', async () => {
    const lines = ['One', 'Two', 'Three', 'Four', 'Five', 'Six']
    const { id } = await add({ content: lines.join('\n') })
    const saveTheirs = (...content: string[]) =>
      console.server.client().prompts.update({ params: { id }, body: { content: content.join('\n') } })
    const { page, prompt, close } = await open(id)
    await prompt.write(['Zero', 'One', 'My two', ...lines.slice(2)].join('\n'))
    await saveTheirs(...lines.slice(0, 3), 'Their four', 'Five', 'Six', 'Seven')
    await prompt.save.click()
    const joined = ['Zero', 'One', 'My two', 'Three', 'Their four', 'Five', 'Six', 'Seven']
    await eventually(async () => (await stored(id)).content).toBe(joined.join('\n'))
    await eventually(() => prompt.content.innerText()).toBe(joined.join('\n'))
    // Both users change line 3; the other user also adds a last line.
    await prompt.write(joined.with(2, 'Mine again').join('\n'))
    await saveTheirs(...joined.with(2, 'Theirs again'), 'Eight')
    await page.keyboard.press('ControlOrMeta+s')
    const conflict = prompt.dialog.dialog.getByTestId('conflict-lines')
    await conflict.getByText('Line 3').waitFor()
    await eventually(() => conflict.locator('mark').allInnerTexts()).toEqual(['Theirs', 'Mine'])
    expect(await axeFaults(page)).toEqual([])
    await prompt.dialog.button('Merge').click()
    const merged = [...joined.with(2, 'Mine again'), 'Eight'].join('\n')
    await eventually(() => prompt.content.innerText()).toBe(merged)
    await prompt.save.click()
    await eventually(async () => (await stored(id)).content).toBe(merged)
    // The estimated number of tokens, counted by the service.
    await page
      .getByTestId('token-count')
      .filter({ hasText: /^~\d+ tokens$/ })
      .waitFor()
    await close()
  })

  it('lets a viewer read, with the reason for the limits', async () => {
    const { id } = await add()
    const { token } = await console.server.signedIn('viewer')
    const { page, prompt, close } = await open(id, '', token)
    await page.getByText('You can view this prompt, but not change it.').waitFor()
    await prompt.content.click()
    await page.keyboard.type('x')
    expect(await prompt.content.innerText()).toBe('Hello {{name}}')
    await prompt.publish.hover()
    await page
      .getByRole('tooltip')
      .filter({ hasText: 'Requires the role Editor; yours is Viewer.' })
      .waitFor()
    await prompt.publish.click({ force: true })
    await expectNoDialog(page)
    await close()
  })

  it('marks a page that edits prod, and no other', async () => {
    const prod = await add({ env: 'prod' })
    const dev = await add()
    const { prompt, close } = await open(prod.id)
    await prompt.prodLine.waitFor()
    await prompt.goto(dev.id)
    await prompt.content.waitFor()
    expect(await prompt.prodLine.count()).toBe(0)
    await close()
  })

  it('reports that a deleted prompt is in the trash', async () => {
    const { id } = await add()
    const { page, prompt, close } = await open(id)
    await prompt.content.waitFor()
    await console.server.client().prompts.remove({ params: { id } })
    await page.getByText('Prompt not found').waitFor()
    await page.getByRole('link', { name: 'Open trash' }).click()
    await page.getByRole('button', { name: 'Restore' }).first().waitFor()
    await close()
  })

  describe('when the session ends during editing', () => {
    const endSession = async (visit: Awaited<ReturnType<typeof open>>, id: string) => {
      await console.server.call(`POST /api/users/${id}/revoke-sessions`)
      await visit.page.getByText('Your session has ended.', { exact: false }).waitFor()
    }

    it('restores the text for its author, merged with what was saved meanwhile', async () => {
      const writer = await console.server.signedIn('editor')
      const { id } = await add({ content: 'One' })
      const visit = await open(id, '', writer.token)
      await visit.prompt.content.waitFor()
      await visit.prompt.write('One\nwritten for an hour')
      await visit.prompt.status.filter({ hasText: 'Unsaved changes' }).waitFor()
      await endSession(visit, writer.id)
      await console.server.client().prompts.update({ params: { id }, body: { name: 'Named meanwhile' } })
      await loginPage(visit.page).signIn(writer.username, writer.password)
      await visit.page.getByText('have been restored', { exact: false }).waitFor()
      await visit.prompt.status.filter({ hasText: 'Unsaved changes' }).waitFor()
      await eventually(() => visit.prompt.content.innerText()).toContain('written for an hour')
      await visit.prompt.save.click()
      await eventually(async () => (await stored(id)).content).toBe('One\nwritten for an hour')
      expect((await stored(id)).name).toBe('Named meanwhile')
      await eventually(() => visit.page.getByText('have been restored', { exact: false }).count()).toBe(0)
      await visit.close()
    })

    it('asks about changes of another user, and overwrites nothing', async () => {
      const writer = await console.server.signedIn('editor')
      const { id } = await add({ content: 'One' })
      const visit = await open(id, '', writer.token)
      await visit.prompt.content.waitFor()
      await visit.prompt.write('Mine')
      await endSession(visit, writer.id)
      await console.server.client().prompts.update({ params: { id }, body: { content: 'Theirs' } })
      await loginPage(visit.page).signIn(writer.username, writer.password)
      await visit.prompt.status.filter({ hasText: 'service-token saved another draft' }).waitFor()
      await visit.prompt.save.click()
      await visit.prompt.dialog.dialog.getByText('Theirs', { exact: true }).waitFor()
      expect((await stored(id)).content).toBe('Theirs')
      await visit.close()
    })

    it('shows the text to no other user', async () => {
      const writer = await console.server.signedIn('editor')
      const other = await console.server.signedIn('editor')
      const { id } = await add({ content: 'One' })
      const visit = await open(id, '', writer.token)
      await visit.prompt.content.waitFor()
      await visit.prompt.write('Not for others')
      await endSession(visit, writer.id)
      await loginPage(visit.page).signIn(other.username, other.password)
      await eventually(() => visit.prompt.content.innerText()).toBe('One')
      expect(await visit.prompt.status.innerText()).not.toContain('Unsaved')
      await visit.close()
    })

    it('restores a prompt that was not created yet', async () => {
      const writer = await console.server.signedIn('editor')
      const { page, close } = await console.visit(writer.token)
      const prompts = promptsPage(page)
      await prompts.goto()
      await prompts.create.click()
      await prompts.dialog.field('Key').fill('edit/half')
      await prompts.dialog.field('Content').fill('Half a text')
      await console.server.call(`POST /api/users/${writer.id}/revoke-sessions`)
      await page.getByText('Your session has ended.', { exact: false }).waitFor()
      await loginPage(page).signIn(writer.username, writer.password)
      await prompts.dialog.dialog.getByText('have been restored', { exact: false }).waitFor()
      expect(await prompts.dialog.field('Key').inputValue()).toBe('edit/half')
      expect(await prompts.dialog.field('Content').inputValue()).toBe('Half a text')
      await close()
    })
  })

  it('keeps input while the service restarts, reports what could not be saved, and saves it then', async () => {
    const restarted = await openConsole()
    const { token } = await restarted.server.signedIn('editor')
    const { id } = (
      await restarted.server.client().prompts.create({ body: { key: 'kept', content: 'One', env: 'dev' } })
    ).data
    const { page, close } = await restarted.visit(token)
    const prompt = promptPage(page)
    await prompt.goto(id)
    await prompt.content.waitFor()
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    await prompt.write('Written before')
    const { port } = new URL(restarted.server.url)
    await restarted.server.stop()
    await page.getByText('Connection lost.').waitFor()
    await prompt.save.click()
    await page.getByRole('alert').filter({ hasText: 'nothing was saved' }).waitFor()
    await prompt.write('Written before and after')
    await restarted.server.restart({ PORT: port })
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    expect(await prompt.content.innerText()).toBe('Written before and after')
    await prompt.save.click()
    await prompt.status.filter({ hasText: 'Draft differs from v1' }).waitFor()
    expect((await restarted.server.client().prompts.get({ params: { id } })).data.content).toBe(
      'Written before and after',
    )
    await close()
    await restarted.close()
  })
})
