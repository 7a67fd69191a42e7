import { describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withPrompts } from '../support/fixtures/prompts.ts'
import { holdRequests, restoreReplies } from '../support/replies.ts'

describe('Editing a prompt', { timeout: patience }, () => {
  const fixture = withPrompts()
  const { addInDev, edit, stored, open } = fixture

  it('shows both versions if another user saved first, and uses theirs', async () => {
    const { id } = await addInDev({ content: 'One\nTwo\nThree' })
    const { page, prompt, close } = await open(id)
    await prompt.write('One\nMine\nThree')
    await prompt.status.filter({ hasText: 'Unsaved changes' }).waitFor()
    await edit(id, 'One\nTheirs\nThree')
    await prompt.status.filter({ hasText: 'service-token saved another draft' }).waitFor()
    await prompt.save.click()
    await prompt.dialog.dialog.getByText('Theirs', { exact: true }).waitFor()
    const marks = await prompt.dialog.dialog.locator('mark').allInnerTexts()
    expect(marks).toEqual(['Theirs', 'Mine'])
    expect(await axeFaults(page, openDialog)).toEqual([])
    await prompt.dialog.button('Use their version').click()
    await eventually(() => prompt.content.innerText()).toBe('One\nTheirs\nThree')
    await prompt.status.filter({ hasText: 'Draft differs' }).waitFor()
    expect(await prompt.status.innerText()).not.toContain('Unsaved')
    expect((await stored(id)).content).toBe('One\nTheirs\nThree')
    await close()
  })

  it('keeps what is typed while a save is running, and saves once', async () => {
    const { id } = await addInDev()
    const { page, prompt, close } = await open(id)
    await prompt.write('First')
    await prompt.status.filter({ hasText: 'Unsaved changes' }).waitFor()
    const held = await holdRequests(page, `**/api/prompts/${id}`, 'PATCH')
    await page.keyboard.press('ControlOrMeta+Enter')
    await held.sent
    await prompt.write('First and second')
    await page.keyboard.press('ControlOrMeta+Enter')
    held.release()
    await page.getByTestId('toast').first().waitFor()
    await prompt.status.filter({ hasText: 'Unsaved changes' }).waitFor()
    expect(await prompt.content.innerText()).toBe('First and second')
    expect(held.count).toBe(1)
    await restoreReplies(page)
    await close()
  })

  it.each([
    ['merges the second change too', { category: 'theirs' }, false],
    ['asks if the second change conflicts', { content: 'Theirs {{name}}' }, true],
  ])('if others save twice meanwhile, %s', async (_name, second, isConflict) => {
    const { id } = await addInDev()
    const { page, prompt, close } = await open(id)
    await prompt.write('Mine {{name}}')
    const changes = [{ description: 'Theirs' }, second]
    await page.route(`**/api/prompts/${id}`, async (route) => {
      const body = route.request().method() === 'PATCH' ? changes.shift() : undefined
      if (body !== undefined) await fixture.console.server.client().prompts.update({ params: { id }, body })
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

  it('joins changes of different lines, and asks only about lines that both changed, which the user can merge', async () => {
    const lines = ['One', 'Two', 'Three', 'Four', 'Five', 'Six']
    const { id } = await addInDev({ content: lines.join('\n') })
    const saveTheirs = (...content: string[]) => edit(id, content.join('\n'))
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
    expect(await axeFaults(page, openDialog)).toEqual([])
    await prompt.dialog.button('Merge').click()
    await prompt.merging.getByText('Theirs again', { exact: true }).waitFor()
    const merged = [...joined.with(2, 'Mine again'), 'Eight'].join('\n')
    await eventually(() => prompt.content.innerText()).toBe(merged)
    expect(await axeFaults(page, 'main')).toEqual([])
    await prompt.write(`${merged}\nBoth`)
    await prompt.save.click()
    await prompt.merging.waitFor({ state: 'detached' })
    expect((await stored(id)).content).toBe(`${merged}\nBoth`)
    // The estimated number of tokens, counted by the service.
    await page
      .getByTestId('token-count')
      .filter({ hasText: /^~\d+ tokens$/ })
      .waitFor()
    await close()
  })
})
