import { expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withPrompts } from '../support/fixtures/prompts.ts'

const fixture = withPrompts()
const { add, open } = fixture

it(
  'marks, completes, lists and opens included prompts, and names the includers',
  async () => {
    const client = fixture.console.server.client()
    const create = async (key: string, content: string, more: object = {}): Promise<string> =>
      (await client.prompts.create({ body: { key, env: 'prod', content, ...more } })).data.id
    const footer = await create('mail/footer', 'Bye')
    await create('mail/unpublished', 'Later', { draft: true })
    const letter = await create('mail/letter', 'Hi {{name}}, {{> mail/footer@v1}}')
    const { page, faults, close } = await open(letter)
    const marks = page.locator('.cm-include')
    await eventually(() => marks.allInnerTexts()).toEqual(['{{> mail/footer@v1}}'])
    await eventually(() => marks.first().getAttribute('data-state')).toBe('served')
    const rows = page.getByRole('region', { name: 'Includes', exact: true }).getByRole('listitem')
    await eventually(() => rows.allInnerTexts()).toEqual([expect.stringContaining('pinned, v1 is live')])

    const editor = page.getByRole('textbox', { name: 'Content' })
    await editor.click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' {{>mail/f')
    await page.getByRole('option', { name: 'mail/footer' }).click()
    await eventually(() => marks.allInnerTexts()).toEqual(['{{> mail/footer@v1}}', '{{> mail/footer}}'])
    await page.keyboard.insertText(
      '{{> mail/footer@v9}} {{> mail/unpublished}} {{> mail/nowhere}} {{> mail/letter}}',
    )
    await eventually(() => rows.allInnerTexts()).toEqual([
      expect.stringContaining('pinned, v1 is live'),
      expect.stringContaining('v1, live'),
      expect.stringContaining('Missing: v9 does not exist'),
      expect.stringContaining('Missing: never published in prod'),
      expect.stringContaining('Missing: no prompt has this key in prod'),
      expect.stringContaining('A prompt cannot include itself'),
    ])
    await eventually(() => page.locator('.cm-include[data-state="missing"]').count()).toBe(4)
    expect(await axeFaults(page, 'main')).toEqual([])
    await page.getByRole('button', { name: 'Discard changes' }).click()

    await marks.first().click({ modifiers: ['ControlOrMeta'] })
    await eventually(() => new URL(page.url()).pathname).toBe(`/prompts/${footer}`)
    const includers = page.getByRole('region', { name: 'Included by' }).getByRole('listitem')
    await eventually(() => includers.allInnerTexts()).toEqual([expect.stringContaining('pinned to v1')])
    await includers.getByRole('link', { name: 'mail/letter' }).click()
    await eventually(() => new URL(page.url()).pathname).toBe(`/prompts/${letter}`)

    // The state follows what others publish and delete.
    await client.prompts.update({ params: { id: letter }, body: { content: '{{> mail/footer}}' } })
    await client.promptVersions.publish({ params: { id: letter }, body: {} })
    await eventually(() => rows.allInnerTexts()).toEqual([expect.stringContaining('v1, live')])
    await client.prompts.update({ params: { id: footer }, body: { content: 'Goodbye' } })
    await client.promptVersions.publish({ params: { id: footer }, body: {} })
    await eventually(() => rows.allInnerTexts()).toEqual([expect.stringContaining('v2, live')])
    expect(faults).toEqual([])
    await close()
  },
  patience,
)

it('names the prompts that include the published one', { timeout: patience }, async () => {
  const { id } = await add('shared/tone', { env: 'dev', content: 'Be kind.' })
  await add('mail/first', { env: 'dev', content: 'Hello. {{> shared/tone}}' })
  const { prompt, close } = await open(id)
  await prompt.write('Be brief.')
  await prompt.publish.click()
  const line = prompt.dialog.dialog.getByTestId('included-by')
  await eventually(() => line.innerText()).toContain('1 prompt includes this one and changes too:')
  expect(await line.getByRole('link').allInnerTexts()).toEqual(['mail/first'])
  await close()
})
