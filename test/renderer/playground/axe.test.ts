import { beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { patience, setUpConsole } from '../support/console.ts'
import { playgroundPage } from '../support/pages/playground.ts'

describe('axe finds nothing in the Playground', { timeout: patience }, () => {
  const console = setUpConsole()
  let admin: string
  let prompt: string
  const open = async (search = '', width = 1440) => {
    const { page, close } = await console.visit(admin, { width })
    const playground = playgroundPage(page)
    await playground.goto(search)
    await playground.column(1).card.waitFor()
    return { page, playground, close }
  }
  beforeAll(async () => {
    admin = (await console.server.signedIn('admin', 'ada')).token
    const body = { key: 'team/greet', content: 'Hello {{name}}', env: 'prod' as const }
    prompt = (await console.server.client().prompts.create({ body })).data.id
  })

  it('empty, and filled in with outputs, a failure and a missing value', async () => {
    const { page, playground, close } = await open()
    await playground.text.waitFor()
    expect(await axeFaults(page)).toEqual([])
    await playground.goto(`?prompt=${prompt}`)
    await playground.state.waitFor()
    await playground.add.click()
    await playground.add.click()
    await playground.column(2).provider.selectOption('openai')
    await playground.column(3).set({ 'Fail at': 'middle' })
    for (const name of ['Preview', 'Previous messages', 'Tools', 'JSON output', 'Run options'])
      await playground.section(name).click()
    await page.getByRole('button', { name: 'Add example' }).click()
    await playground.json('Tools as JSON').waitFor()
    await playground.value('name').fill('Ada')
    await playground.runAll.click()
    await playground.column(1).ended('done')
    await playground.column(3).ended('failed')
    await playground.value('name').fill('')
    await playground.runAll.click()
    await playground.side.getByText('Enter a value.').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Parameters of model 1' }).click()
    await page.getByRole('dialog', { name: 'Parameters' }).waitFor()
    expect(await axeFaults(page, '[role="dialog"]')).toEqual([])
    await close()
  })

  it('in its panels and dialogs', async () => {
    const { page, playground, close } = await open(`?prompt=${prompt}`)
    await playground.state.waitFor()
    await playground.write('Dear {{name}}')
    await playground.value('name').fill('Ada')
    await playground.add.click()
    await playground.runAll.click()
    await playground.column(2).ended('done')
    await playground.history.click()
    await playground.entries.first().waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await page.keyboard.press('Escape')
    await playground.entries.first().waitFor({ state: 'detached' })
    for (const [openPart, part] of [
      [() => playground.compare.click(), playground.dialog.dialog.getByLabel('Second response')],
      [() => playground.saveAs('Draft of'), playground.dialog.dialog.getByTestId('diff')],
      [() => playground.saveAs('New prompt'), playground.dialog.field('Key')],
      [() => playground.saveAs('Agent'), playground.dialog.field('Key')],
      [() => playground.saveAs('Test case'), playground.dialog.field('Save values as')],
    ] as const) {
      await openPart()
      await part.waitFor()
      expect(await axeFaults(page, openDialog)).toEqual([])
      await page.keyboard.press('Escape')
      await part.waitFor({ state: 'detached' })
    }
    await close()
  })

  it('at widths of 900 and 640', async () => {
    const { page, playground, close } = await open(`?prompt=${prompt}`, 900)
    await playground.state.waitFor()
    await playground.add.click()
    await playground.value('name').fill('Ada'.repeat(80))
    await playground.runAll.click()
    await playground.column(2).ended('done')
    for (const width of [900, 640]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await axeFaults(page), `${width}`).toEqual([])
      // Only the row of models may be wider than the window.
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    await close()
  })
})
