import { readFile } from 'node:fs/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Visit } from '../support/browser.ts'
import { axeFaults } from './support/axe.ts'
import { eventually, patience, setUpConsole } from './support/console.ts'
import { hoursAgo, problem, runsPage, workspaceWith } from './support/pages/runs.ts'
import { statisticsPage } from './support/pages/statistics.ts'
import { followPath } from './support/warm.ts'

describe('Statistics', { timeout: patience }, () => {
  const console = setUpConsole()
  let visit: Visit
  beforeAll(async () => {
    visit = await console.visit((await console.server.signedIn('viewer')).token)
  })
  afterEach(() => expect(visit.faults).toEqual([]))

  it('groups by two dimensions, sorts, leads to the runs behind a figure, and is downloaded', async () => {
    const team = await workspaceWith(console, 'Figures', [
      { model: 'large', app: 'shop', status: 'error', error: 'overloaded', cost_usd: 3, latency_ms: 900 },
      { model: 'large', app: 'shop', cost_usd: 1, latency_ms: 400 },
      { model: 'small', app: 'desk', cost_usd: 0.5, created_at: hoursAgo(30) },
      { model: 'small', created_at: hoursAgo(200) },
    ])
    const { page } = visit
    const statistics = statisticsPage(page)
    await statistics.goto(`?workspace=${team.slug}`)
    await eventually(() => statistics.rows()).toEqual([
      expect.stringMatching(/^large\t66\.7%\t2\t1\t50%\t.*\tNew$/),
      expect.stringMatching(/^small\t33\.3%\t1\t0\t0%\t.*\t0%$/),
    ])
    await statistics.and.selectOption('App')
    await statistics.figure.selectOption('Cost')
    await eventually(() => statistics.rows()).toEqual([
      expect.stringMatching(/^large\tshop\t88\.9%/),
      expect.stringMatching(/^small\tdesk\t11\.1%/),
    ])
    await statistics.sort('Errors').click()
    await eventually(() => new URL(page.url()).searchParams.get('sort')).toBe('-error')
    await page.getByRole('button', { name: 'Errors, descending. Sort ascending' }).click()
    await eventually(() => statistics.rows()).toEqual([
      expect.stringMatching(/^small/),
      expect.stringMatching(/^large/),
    ])
    expect(await axeFaults(page, 'main')).toEqual([])

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const file = await readFile(await (await download).path(), 'utf8')
    expect(file.split('\r\n')[0]).toMatch(/^model,app,count,error,error_rate/)
    expect(file).toContain('large,shop,2,1,0.5')
    expect(file).toMatch(/,from,to\r\n.*,\d{4}-[^,]+Z,\d{4}-[^,]+Z\r\n/)

    await page.getByRole('link', { name: '1 Errors: show runs' }).first().click()
    await eventually(() => runsPage(page).rows.count()).toBe(1)
    const { searchParams } = new URL(page.url())
    expect(['model', 'app', 'status', 'workspace'].map((name) => searchParams.get(name))).toEqual([
      'large',
      'shop',
      'error',
      team.slug,
    ])
  })

  it('shortens long names in the legend, shows all of them at 320 px, and prints all columns', async () => {
    const models = [...'abcde'].map((letter) => letter.repeat(128))
    const runs = models.map((model) => ({ model, app: 'app'.repeat(30), env: 'prod' as const }))
    const team = await workspaceWith(console, 'Long', runs)
    const { page } = visit
    await statisticsPage(page).goto(`?workspace=${team.slug}`)
    const head = page.getByTestId('plot-count')
    await head.waitFor()
    const frame = await head.boundingBox()
    for (const model of models) {
      const label = await head.getByText(model).boundingBox()
      expect(label?.y).toBeLessThan((frame?.y ?? 0) + 10)
      expect(label?.width).toBeLessThanOrEqual(160)
    }
    await page.setViewportSize({ width: 320, height: 640 })
    await eventually(() => head.evaluate((box) => box.clientWidth < 320 && box.scrollWidth)).toBe(296)
    await followPath(page, `/statistics?workspace=${team.slug}&by=app&and=env`)
    const second = head.getByText('· prod').last()
    await second.waitFor()
    expect(await second.evaluate((name) => name.scrollWidth - name.clientWidth)).toBe(0)
    await followPath(page, `/statistics?workspace=${team.slug}&and=app`)
    await head
      .getByText(models[0] ?? '')
      .first()
      .waitFor()
    const table = page.getByRole('table', { name: 'Groups' })
    await table.waitFor()
    const figure = table.locator('tbody a').first()
    await figure.focus()
    const name = await table.locator('tbody th').first().boundingBox()
    expect((await figure.boundingBox())?.x).toBeGreaterThan((name?.x ?? 0) + (name?.width ?? 0))
    await page.emulateMedia({ media: 'print', forcedColors: 'active' })
    await page.setViewportSize({ width: 703, height: 900 })
    const colors = await head
      .locator('i')
      .evaluateAll((marks) => marks.map((mark) => getComputedStyle(mark).backgroundColor))
    expect(new Set(colors).size).toBe(5)
    expect(await table.evaluate((part) => part.getBoundingClientRect().right)).toBeLessThanOrEqual(703)
    await page.emulateMedia({ media: null, forcedColors: null })
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('opens a preset, and shows an empty state, and an internal error at once', async () => {
    const { page } = visit
    const statistics = statisticsPage(page)
    await statistics.goto('')
    await page.getByRole('link', { name: 'Cost by workspace this month' }).click()
    await eventually(() => statistics.by.inputValue()).toBe('workspace')
    await eventually(async () => (await statistics.rows()).join()).toContain('Figures')
    await followPath(page, '/statistics?model=nobody')
    await statistics.empty.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(() => statistics.rows()).not.toEqual([])
    const refused: string[] = []
    await page.route('**/api/runs/stats?*', (route) => {
      refused.push(route.request().url())
      return route.fulfill(problem(500, 'internal', 'Internal error'))
    })
    await statistics.goto()
    await statistics.failure.waitFor()
    // It was not requested again meanwhile.
    expect(refused).toEqual([...new Set(refused)])
    await page.unroute('**/api/runs/stats?*')
    await statistics.failure.getByRole('button', { name: 'Retry' }).click()
    await eventually(() => statistics.rows()).not.toEqual([])
  })
})
