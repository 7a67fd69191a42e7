import { describe, expect, it } from 'vitest'
import { eventually, patience } from '../support/console.ts'
import { withPrompts } from '../support/fixtures/prompts.ts'
import { loginPage } from '../support/pages/login.ts'
import { endWait, shell } from '../support/shell.ts'

describe('Editing a prompt', { timeout: patience }, () => {
  const fixture = withPrompts({ hasPage: false })
  const { addInDev, edit, stored, open } = fixture

  describe('when the session ends during editing', () => {
    it('restores the text for its author, merged with what was saved meanwhile', async () => {
      const writer = await fixture.console.server.signedIn('editor')
      const { id } = await addInDev({ content: 'One' })
      const visit = await open(id, '', writer.token)
      await visit.prompt.content.waitFor()
      await visit.prompt.write('One\nwritten for an hour')
      await visit.prompt.status.filter({ hasText: 'Unsaved changes' }).waitFor()
      await loginPage(visit.page).endSession(fixture.console.server, writer)
      await fixture.console.server
        .client()
        .prompts.update({ params: { id }, body: { name: 'Named meanwhile' } })
      await loginPage(visit.page).signIn(writer.username, writer.password)
      await visit.page.getByText('have been restored').waitFor()
      await visit.prompt.status.filter({ hasText: 'Unsaved changes' }).waitFor()
      await eventually(() => visit.prompt.content.innerText()).toContain('written for an hour')
      await visit.prompt.save.click()
      await eventually(async () => (await stored(id)).content).toBe('One\nwritten for an hour')
      expect((await stored(id)).name).toBe('Named meanwhile')
      await eventually(() => visit.page.getByText('have been restored').count()).toBe(0)
      await visit.close()
    })

    it('asks about changes of another user, and overwrites nothing', async () => {
      const writer = await fixture.console.server.signedIn('editor')
      const { id } = await addInDev({ content: 'One' })
      const visit = await open(id, '', writer.token)
      await visit.prompt.content.waitFor()
      await visit.prompt.write('Mine')
      await loginPage(visit.page).endSession(fixture.console.server, writer)
      await edit(id, 'Theirs')
      await loginPage(visit.page).signIn(writer.username, writer.password)
      await visit.prompt.status.filter({ hasText: 'service-token saved another draft' }).waitFor()
      await visit.prompt.save.click()
      await visit.prompt.dialog.dialog.getByText('Theirs', { exact: true }).waitFor()
      expect((await stored(id)).content).toBe('Theirs')
      await visit.close()
    })
  })

  it('keeps input while the service restarts, reports what could not be saved, and saves it then', async () => {
    const { server } = fixture.console
    const { token } = await server.signedIn('editor')
    const { id } = await addInDev({ content: 'One' })
    const { page, prompt, close } = await open(id, '', token)
    await prompt.content.waitFor()
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    await prompt.write('Written before')
    const { port } = new URL(server.url)
    await server.stop()
    await eventually(() => shell(page).live.innerText()).not.toBe('Live')
    await prompt.save.click()
    await page.getByRole('alert').filter({ hasText: 'may not have been saved' }).waitFor()
    await prompt.write('Written before and after')
    await server.restart({ PORT: port })
    await endWait(page)
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    expect(await prompt.content.innerText()).toBe('Written before and after')
    await prompt.save.click()
    await prompt.status.filter({ hasText: 'Draft differs from v1' }).waitFor()
    expect((await stored(id)).content).toBe('Written before and after')
    await close()
  })
})
