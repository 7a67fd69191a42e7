import { describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withPrompts } from '../support/fixtures/prompts.ts'
import { expectNoDialog } from '../support/shell.ts'

describe('Editing a prompt', { timeout: patience }, () => {
  const fixture = withPrompts()
  const { add, addInDev, stored, open } = fixture

  it('saves the draft by keyboard without serving it, on a page that is not marked as prod', async () => {
    const { id } = await addInDev()
    const { page, prompt, close } = await open(id)
    await prompt.status.filter({ hasText: 'v1 is live, no draft changes' }).waitFor()
    await prompt.write('Good morning {{name}} of {{company}}')
    await prompt.status.filter({ hasText: 'Unsaved changes' }).waitFor()
    await page.keyboard.press('ControlOrMeta+Enter')
    await prompt.status.filter({ hasText: 'Draft differs from v1 (live)' }).waitFor()
    const now = await stored(id)
    expect(now.content).toBe('Good morning {{name}} of {{company}}')
    expect(now.served?.content).toBe('Hello {{name}}')
    expect(await prompt.prodLine.count()).toBe(0)
    await close()
  })

  it('shows variables as pills, completes, declares and previews them with sample values', async () => {
    const { id } = await addInDev({ variables: [{ name: 'company', default: 'Acme' }] })
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
    await prompt.sample('name').fill('')
    await page.getByRole('button', { name: 'Declare name', exact: true }).click()
    await page.getByRole('textbox', { name: 'Default' }).first().fill('friend')
    await page.getByRole('textbox', { name: 'Description' }).first().fill('Who is greeted')
    await eventually(() => prompt.preview.innerText()).toBe('Hello friend of Acme')
    await page.getByRole('button', { name: 'Find in text' }).click()
    await page.getByRole('textbox', { name: 'Find' }).waitFor()
    await page.setViewportSize({ width: 640, height: 900 })
    expect(await axeFaults(page, 'main')).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.setViewportSize({ width: 1440, height: 900 })
    await prompt.save.click()
    await prompt.status.filter({ hasText: 'Draft differs' }).waitFor()
    expect((await stored(id)).variables).toContainEqual(
      expect.objectContaining({
        name: 'name',
        default: 'friend',
        description: 'Who is greeted',
        declared: true,
        used: true,
      }),
    )
    await prompt.write('שלום')
    expect(await prompt.content.evaluate((text) => getComputedStyle(text).direction)).toBe('rtl')
    await close()
  })

  it('rejects names of inherited properties, and keeps the text', async () => {
    const { id } = await addInDev()
    const { page, prompt, close } = await open(id)
    await prompt.write('Hi {{constructor}}')
    await page.getByRole('alert').filter({ hasText: '{{constructor}}' }).waitFor()
    await prompt.save.click()
    await page.getByRole('alert').filter({ hasText: 'content' }).waitFor()
    await eventually(() => prompt.content.innerText()).toBe('Hi {{constructor}}')
    expect((await stored(id)).content).toBe('Hello {{name}}')
    await close()
  })

  it('asks before unsaved text is discarded or the page closed, and keeps it across the tabs of the prompt', async () => {
    const { id } = await addInDev()
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
    const [question] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })])
    expect(question.type()).toBe('beforeunload')
    await question.dismiss()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await prompt.dialog.button('Discard').click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    await close()
  })

  it('lets a viewer read in prod, which is marked, with the reason for the limits', async () => {
    const { id } = await add('edit/prod')
    const { token } = await fixture.console.server.signedIn('viewer')
    const { page, prompt, close } = await open(id, '', token)
    await page.getByText('You can view this prompt, but not change it.').waitFor()
    await prompt.prodLine.waitFor()
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

  it('keeps unsaved text when another user deletes the prompt, saves it once restored, and leads to the trash', async () => {
    const { id } = await addInDev()
    const { page, prompt, close } = await open(id)
    await prompt.write('Written for an hour')
    await fixture.console.server.client().prompts.remove({ params: { id } })
    await page.getByText('has been deleted. Your unsaved changes').waitFor()
    expect(await prompt.content.innerText()).toBe('Written for an hour')
    await fixture.console.server.call(`POST /api/prompts/${id}/restore`)
    await eventually(() => page.getByText('has been deleted. Your unsaved changes').count()).toBe(0)
    await prompt.save.click()
    await prompt.status.filter({ hasText: 'Draft differs' }).waitFor()
    expect((await stored(id)).content).toBe('Written for an hour')
    await fixture.console.server.client().prompts.remove({ params: { id } })
    await page.getByText('Prompt not found').waitFor()
    await page.getByRole('link', { name: 'Open trash' }).click()
    await page.getByRole('button', { name: 'Restore' }).first().waitFor()
    expect(await axeFaults(page, 'main')).toEqual([])
    await close()
  })

  it('keeps the text typed in a dialog when another user deletes the prompt', async () => {
    const { id } = await addInDev()
    await fixture.edit(id, 'Two')
    const { page, prompt, close } = await open(id)
    await prompt.publish.click()
    const typed = prompt.dialog.field('Message (optional)')
    await typed.fill('half typed')
    await fixture.console.server.client().prompts.remove({ params: { id } })
    await page.getByText('has been deleted. Your unsaved changes').waitFor()
    expect(await typed.inputValue()).toBe('half typed')
    await prompt.dialog.button('Publish v2 in dev').click()
    await prompt.dialog.alert.getByText('Prompt not found').waitFor()
    await prompt.dialog.button('Cancel').click()
    await prompt.dialog.button('Discard').click()
    await page.getByText('Prompt not found').waitFor()
    await close()
  })
})
