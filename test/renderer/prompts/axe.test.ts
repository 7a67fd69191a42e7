import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { type Console, openConsole, patience } from '../support/console.ts'
import { promptPage, promptsPage, watchPrompt } from '../support/pages/prompts.ts'
import { report } from '../support/pages/runs.ts'

describe('axe finds nothing', { timeout: patience }, () => {
  let console: Console
  let admin: string
  let id: string
  let dev: string
  const visit = async (width = 1440) => {
    const { page, close } = await console.visit(admin, { width })
    return { page, close, prompts: promptsPage(page), prompt: promptPage(page) }
  }
  beforeAll(async () => {
    console = await openConsole()
    admin = (await console.server.signedIn('admin', 'ada')).token
    const client = console.server.client()
    const content = 'Hello {{name}}\nand {{company}}'
    const body = { key: 'team/greet', content, env: 'prod' as const, variables: [{ name: 'company' }] }
    id = (await client.prompts.create({ body })).data.id
    dev = (await client.prompts.create({ body: { ...body, env: 'dev' } })).data.id
    await client.prompts.update({ params: { id }, body: { content: `${content}.` } })
    await client.promptVersions.publish({ params: { id }, body: { message: 'A full stop' } })
    await client.prompts.update({ params: { id }, body: { content: 'Hello {{first}}' } })
    const gone = (await client.prompts.create({ body: { key: 'gone', content: 'x' } })).data.id
    await client.prompts.remove({ params: { id: gone } })
    await client.runs.report({
      body: [report({ ref_key: 'team/greet', version: 'v2', env: 'prod', variables: ['name'] })],
    })
    for (const [app, isAcking] of [
      ['one', true],
      ['two', false],
    ] as const) {
      const watching = await watchPrompt(console.server, { app, key: 'team/greet', env: 'prod', isAcking })
      watching.ack(isAcking ? 'v2' : 'v1')
    }
  })
  afterAll(() => console.close())

  it('on the trash of the list and its forms', async () => {
    const { page, prompts, close } = await visit()
    await prompts.goto('?view=trash')
    await prompts.row('gone').getByRole('button', { name: 'Restore' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await prompts.create.click()
    await prompts.dialog.field('Key').waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await page.keyboard.press('Escape')
    await prompts.import.click()
    const text = '{"prompts":[{"key":"new","content":"x"},{"key":"not/ /a/key/","content":"y"}]}'
    await prompts.dialog.dialog.getByLabel('Or paste text').fill(text)
    expect(await axeFaults(page, openDialog)).toEqual([])
    await prompts.dialog.button('Preview').click()
    await prompts.dialog.dialog.getByText('1 rejected', { exact: true }).waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await close()
  })

  it('on the editor with its find panel, and on the conflict', async () => {
    const { page, prompt, close } = await visit()
    await prompt.goto(id)
    await prompt.content.locator('.cm-variable').waitFor()
    await page.getByRole('button', { name: 'Declare first', exact: true }).click()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Find in text' }).click()
    await page.getByRole('textbox', { name: 'Find' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await prompt.goto(dev)
    await prompt.content.locator('.cm-variable').first().waitFor()
    await prompt.write('Mine')
    await console.server.client().prompts.update({ params: { id: dev }, body: { content: 'Theirs' } })
    await prompt.save.click()
    await prompt.dialog.dialog.locator('mark').first().waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await prompt.dialog.button('Merge').click()
    await prompt.merging.locator('mark').first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })

  it('on versions, the dialogs of a release, clients, runs and audit', async () => {
    const { page, prompt, close } = await visit()
    await prompt.goto(id)
    await prompt.publish.click()
    await prompt.dialog.dialog.getByText('2 connected clients').waitFor()
    await prompt.diff.waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await page.keyboard.press('Escape')
    await prompt.goto(id, '?tab=versions')
    await prompt.diff.waitFor()
    await prompt.env('prod').getByText('v2').waitFor()
    expect(await axeFaults(page)).toEqual([])
    // In forced colors the text of a badge has the colour of the selection, so the background must too.
    await page.emulateMedia({ forcedColors: 'active' })
    const badge = page.locator('[aria-pressed="true"] [data-tone]').first()
    expect(await badge.evaluate((part) => getComputedStyle(part).backgroundColor)).toBe('rgba(0, 0, 0, 0)')
    await page.emulateMedia({ forcedColors: 'none' })
    await prompt.version('v1').getByRole('button', { name: 'Roll back to v1' }).click()
    await prompt.dialog.dialog.locator('mark').first().waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await prompt.goto(id, '?tab=clients')
    await prompt.convergence.getByText('1 of 2 on').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await prompt.goto(id, '?tab=runs')
    await page.getByRole('table', { name: 'Latest runs' }).waitFor()
    await page.getByRole('list', { name: 'Events' }).getByRole('button').first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    await prompt.goto(id, '?tab=audit')
    await page.getByTestId('sentence').first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })

  it('when narrow', async () => {
    const { page, prompts, prompt, close } = await visit(640)
    await prompts.goto()
    await prompts.row('team/greet').first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    const shown = { edit: prompt.preview, versions: prompt.diff, clients: prompt.bar }
    for (const [tab, part] of Object.entries(shown)) {
      await prompt.goto(id, `?tab=${tab}`)
      await prompt.status.filter({ hasText: 'Draft differs' }).waitFor()
      await part.waitFor()
      expect(await axeFaults(page)).toEqual([])
      // Only tables and the text may be wider than the window.
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    await close()
  })
})
