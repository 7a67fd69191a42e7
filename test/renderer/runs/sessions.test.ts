import { beforeAll, describe, expect, it } from 'vitest'
import type { Visit } from '../../support/browser.ts'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { runsPage, workspaceWith } from '../support/pages/runs.ts'
import { dialogPart, tablePart, toast } from '../support/parts.ts'
import { followPath, openPath } from '../support/warm.ts'

const console = setUpConsole()
let visit: Visit
beforeAll(async () => {
  visit = await console.visit((await console.server.signedIn('editor')).token)
  await console.server.client().settings.update({ body: { capture: 'full' } })
})

describe('From a complaint to its cause', { timeout: patience }, () => {
  const question = { role: 'user', content: 'Where is my **parcel**?' }
  const answer = 'See [the tracking page](https://example.com/t) ![x](https://example.com/pixel.png)'
  const system = (time: string) => ({ role: 'system', content: `It is ${time}.` })
  const runs = [
    {
      latency_ms: 900,
      input: [system('12:03'), question],
      output: answer,
      env: 'prod' as const,
      tags: ['vip'],
    },
    {
      latency_ms: 4000,
      env: 'prod' as const,
      input: [
        system('12:04'),
        question,
        { role: 'assistant', content: answer },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: '1', type: 'function', function: { name: 'find', arguments: '{"order":7}' } }],
        },
        { role: 'user', content: 'And when?' },
      ],
      output: 'On Monday',
    },
    { latency_ms: 100, env: 'dev' as const, status: 'error' as const, error: 'overloaded' },
  ].map((run) => ({ ...run, session_id: 'chat/1', end_user: 'ada', ref_key: 'support/answer' }))

  it('filters, sorts, reads a run and its conversation, and compares two runs', async () => {
    const team = await workspaceWith(console, 'Support', runs)
    const [first = 0, slow = 0, failed = 0] = team.ids
    const { page, faults } = visit
    const list = runsPage(page)
    await list.goto(`?workspace=${team.slug}`)
    await list.sortBy('Latency')
    await eventually(() => list.ids()).toEqual([slow, first, failed])
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-latency_ms')
    expect(await list.cell(slow, 0)).toMatch(/^\d\d:\d\d:\d\d$/)

    await list.filters.open('Environment')
    await page.getByText('is not', { exact: true }).click()
    await page.getByLabel('dev', { exact: true }).check()
    await page.getByRole('button', { name: 'Apply' }).click()
    await eventually(() => list.ids()).toEqual([slow, first])
    await list.filters.chip('Environment is not').waitFor()
    expect(new URL(page.url()).searchParams.get('not_env')).toBe('dev')

    await list.rowOf(slow).locator('td[data-col]').first().click()
    const { drawer } = list.drawer
    await drawer.locator('strong', { hasText: 'parcel' }).waitFor()
    // No image of another origin is loaded, and a linked page cannot access the window of the console.
    expect(await drawer.locator('img').count()).toBe(0)
    const link = drawer.getByRole('link', { name: 'the tracking page' })
    expect(await link.getAttribute('rel')).toContain('noopener')
    await drawer.getByText('Tool call: find').click()
    await drawer.getByText('order:').waitFor()
    await drawer.getByText('Raw', { exact: true }).click()
    await drawer.getByText('Where is my **parcel**?').waitFor()
    await page.keyboard.press('j')
    await eventually(() => list.drawer.title.innerText()).toBe(`Run ${first}`)
    expect(await axeFaults(page)).toEqual([])

    await list.drawer.action('Compare with…').click()
    await page.getByRole('link', { name: new RegExp(`^${slow}`) }).click()
    const figures = page.getByRole('table', { name: 'Figures of both runs' })
    await figures.getByText('+3,100 ms').waitFor()
    await page.locator('ins', { hasText: 'On Monday' }).waitFor()
    expect(new URL(page.url()).search).toContain(`a=${first}&b=${slow}`)
    expect(await axeFaults(page)).toEqual([])

    await followPath(page, `/sessions?workspace=${team.slug}`)
    const sessions = tablePart(page, 'Sessions')
    await sessions.row('chat/1').getByRole('link').click()
    const turns = page.getByRole('list', { name: 'Session chat/1' }).locator('> li')
    await eventually(() => turns.count()).toBe(3)
    await turns.nth(1).getByText('And when?').waitFor()
    // A message that the previous run already had is not repeated.
    expect(await turns.nth(1).getByText('parcel').count()).toBe(0)
    await turns.nth(1).getByText('It is 12:04.').waitFor()
    await turns.nth(2).getByText('overloaded').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await turns
      .nth(2)
      .getByRole('link', { name: `Run ${failed}` })
      .click()
    await eventually(() => list.drawer.title.innerText()).toBe(`Run ${failed}`)
    expect(faults).toEqual([])
  })

  it('saves, opens, changes, shares and deletes a view', async () => {
    const team = await workspaceWith(console, 'Views', runs)
    const [, slow = 0] = team.ids
    const { page, faults } = visit
    const list = runsPage(page)
    await list.goto(`?workspace=${team.slug}&min_latency_ms=1000&period=today`)
    await eventually(() => list.ids()).toEqual([slow])
    const menu = (name: string | RegExp) => page.getByRole('menuitem', { name })
    const views = (name: string | RegExp = 'Views') => page.getByRole('button', { name, exact: true })
    await views().click()
    await menu('Save view').click()
    const { field, button, dialog } = dialogPart(page)
    await field('Name').fill('Slow today')
    await dialog.getByLabel('Share with a workspace').check()
    await button('Save view').click()
    await toast(page, 'Slow today saved.').waitFor()
    const [saved] = (await console.server.call('GET /api/views')).body.data
    expect(saved).toMatchObject({ name: 'Slow today', shared: true, page: 'runs' })
    await eventually(() => new URL(page.url()).searchParams.get('view')).toBe(saved.id)

    await list.filters.remove('Minimum latency')
    await views('Slow today (changed)').click()
    await menu('Update Slow today').click()
    await toast(page, 'Slow today updated.').waitFor()
    await views('Slow today').waitFor()

    await openPath(page, `/views/${saved.id}`)
    await eventually(() => new URL(page.url()).pathname).toBe('/runs')
    await eventually(async () => (await list.ids()).length).toBe(3)
    await views('Slow today').click()
    await menu('Delete Slow today').click()
    await button('Delete view').click()
    await views().waitFor()
    expect((await console.server.call('GET /api/views')).body.total).toBe(0)
    expect(new URL(page.url()).searchParams.has('view')).toBe(false)
    expect(faults).toEqual([])
  })
  it('cuts long IDs in the list, so that the cost is visible in a narrow window', async () => {
    const id = 'y'.repeat(100)
    const team = await workspaceWith(console, 'Long', [{ session_id: id, cost_usd: 1 }])
    const { page } = visit
    await page.setViewportSize({ width: 900, height: 900 })
    await openPath(page, `/sessions?workspace=${team.slug}`)
    const row = tablePart(page, 'Sessions').row(id)
    const box = await row.getByText('$1.00').boundingBox()
    expect((box?.x ?? 900) + (box?.width ?? 0)).toBeLessThan(900)
  })
})
