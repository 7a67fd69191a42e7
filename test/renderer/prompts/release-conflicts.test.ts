import { describe, expect, it } from 'vitest'
import { patience } from '../support/console.ts'
import { withPrompts } from '../support/fixtures/prompts.ts'
import type { promptPage } from '../support/pages/prompts.ts'

describe('Releasing a prompt when another user was first', { timeout: patience }, () => {
  const { add, edit, publish, served, open } = withPrompts()

  const expectStale = async (prompt: ReturnType<typeof promptPage>): Promise<void> => {
    await prompt.dialog.dialog
      .getByRole('alert')
      .filter({ hasText: 'service-token changed' })
      .filter({ hasText: 'Your action was not carried out' })
      .waitFor()
  }

  it('does not publish an unseen change, shows the newest, and continues from it', async () => {
    const { id } = await add('first/publish', { content: 'One' })
    await edit(id, 'Two')
    const { prompt, close } = await open(id)
    await prompt.publish.click()
    await prompt.dialog.button('Publish v2 in prod').waitFor()
    await edit(id, 'Three')
    await prompt.dialog.button('Publish v2 in prod').click()
    await expectStale(prompt)
    expect((await served('first/publish')).content).toBe('One')
    await prompt.dialog.dialog.locator('ins').getByText('Three').waitFor()
    await prompt.dialog.button('Publish v2 in prod').click()
    await prompt.dialog.button('Done').click()
    expect((await served('first/publish')).content).toBe('Three')
    await close()
  })

  it('does not promote an unseen change', async () => {
    const { id, etag } = await add('first/promote', { env: 'dev', content: 'One' })
    const { page, prompt, close } = await open(id, '?tab=versions')
    await page.getByRole('button', { name: 'Promote to test' }).click()
    await prompt.dialog.button('Promote v1 to test').waitFor()
    await edit(id, 'Two')
    await publish(id)
    const request = page.waitForRequest(/\/promote$/)
    await prompt.dialog.button('Promote v1 to test').click()
    expect((await request).headers()['if-match']).toBe(etag)
    await expectStale(prompt)
    expect((await served('first/promote', 'test')).code).toBe('not_found')
    await prompt.dialog.dialog.locator('ins').getByText('Two').waitFor()
    await prompt.dialog.button('Promote v2 to test').click()
    await prompt.dialog.button('Done').click()
    expect((await served('first/promote', 'test')).content).toBe('Two')
    await close()
  })

  it('does not roll back over an unseen publish', async () => {
    const { id } = await add('first/back', { content: 'One' })
    await edit(id, 'Two')
    await publish(id)
    const { prompt, close } = await open(id, '?tab=versions')
    await prompt.version('v1').getByRole('button', { name: 'Roll back to v1' }).click()
    await prompt.dialog.button('Roll back to v1').waitFor()
    await edit(id, 'Three')
    await publish(id)
    await prompt.dialog.button('Roll back to v1').click()
    await expectStale(prompt)
    expect((await served('first/back')).content).toBe('Three')
    await prompt.dialog.dialog.locator('del').getByText('Three').waitFor()
    await close()
  })
})
