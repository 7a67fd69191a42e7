import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { runsPage, workspaceWith } from '../support/pages/runs.ts'

describe('The search in inputs and outputs', { timeout: patience }, () => {
  let console: Console
  beforeAll(async () => {
    console = await openConsole()
  })
  afterAll(() => console.close())

  it('finds a complaint by its text, shows where it matches, and explains why a run has no text', async () => {
    await console.server.call('PATCH /api/settings', { body: { capture: 'full' } })
    const team = await workspaceWith(console, 'Complaints', [
      { input: 'The parcel for order 4711 arrived broken', output: 'We are sorry.', ref_key: 'answer' },
      { input: 'The parcel arrived', output: 'Good.', ref_key: 'answer' },
      { ref_key: 'silent' },
    ])
    const [broken, arrived, silent] = team.ids
    await console.server.call('PATCH /api/settings', { body: { capture: 'off' } })
    const { token } = await console.server.signedIn('viewer')
    const { page, faults, close } = await console.visit(token)
    const runs = runsPage(page)
    await runs.goto(`?workspace=${team.slug}`)
    await eventually(() => runs.rows.count()).toBe(3)

    const search = page.getByRole('textbox', { name: 'Search inputs and outputs' })
    await search.fill('parcel')
    await eventually(() => runs.ids()).toEqual([arrived, broken])
    expect(new URL(page.url()).searchParams.get('content')).toBe('parcel')
    await search.fill('"4711 arrived"')
    await eventually(() => runs.ids()).toEqual([broken])
    const row = runs.rowOf(broken ?? 0)
    expect(await row.locator('mark').allInnerTexts()).toEqual(['4711 arrived'])
    await row.getByText('Input', { exact: true }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.reload()
    await eventually(() => runs.ids()).toEqual([broken])

    await search.fill('nowhere')
    await runs.empty.getByText('Capture is off').waitFor()
    await runs.empty.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(() => search.inputValue()).toBe('')
    await eventually(() => runs.rows.count()).toBe(3)
    await runs.rowOf(silent ?? 0).click()
    await runs.drawer.drawer.getByText('did not send its input and output').waitFor()
    expect(faults).toEqual([])
    await close()
  })
})
