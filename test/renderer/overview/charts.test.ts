import { describe, expect, it } from 'vitest'
import type { RunReport } from '../../../contract/runs/run.ts'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withOverview } from '../support/fixtures/overview.ts'
import { auditPage } from '../support/pages/audit.ts'
import { overviewPage } from '../support/pages/overview.ts'
import { hoursAgo, workspaceWith } from '../support/pages/runs.ts'
import { followPath } from '../support/warm.ts'

const batch = (count: number, overrides: Partial<RunReport> = {}): Partial<RunReport>[] =>
  Array.from({ length: count }, () => overrides)

const { shared, open } = withOverview()

describe('Charts of the Overview', { timeout: patience }, () => {
  it('draw every point of a period, including empty ones; latency without runs is a dash, not 0', async () => {
    const team = await workspaceWith(shared.console, 'Filled', batch(1))
    const { page, overview, search } = await open(`?workspace=${team.slug}`)
    for (const [period, maxBuckets] of [
      ['15m', 16],
      ['6h', 73],
      ['7d', 169],
      ['90d', 91],
    ] as const) {
      await followPath(page, `/?workspace=${team.slug}&period=${period}`)
      // Depending on the time of day, the period touches one more bucket.
      await eventually(async () => [0, 1].includes(maxBuckets - (await overview.buckets()))).toBe(true)
      for (const title of ['Runs', 'Latency', 'Tokens', 'Cost']) await overview.panel(title).waitFor()
      await overview.crosshair.focus()
      await page.keyboard.press('Home')
      await eventually(() => overview.legend('runs').innerText()).toMatch(/ok\s+0\s+error\s+0/)
      expect(await overview.legend('latency').innerText()).toMatch(/p50\s+—\s+p95\s+—\s+p99\s+—/)
      await page.keyboard.press('t')
      await eventually(() => overview.tableRows.count()).toBeGreaterThanOrEqual(maxBuckets - 1)
      expect(search().get('view')).toBe('table')
    }
  })

  it('show changes before a point, by a key or a right click', async () => {
    const team = await workspaceWith(shared.console, 'Before', [
      ...batch(4),
      { status: 'error', error: 'went bad' },
    ])
    const { page, overview, search } = await open(`?workspace=${team.slug}`)
    const expectChanges = async () => {
      await auditPage(page).row(team.slug).waitFor()
      expect(new URL(page.url()).pathname).toBe('/audit')
      const [from, to] = ['from', 'to'].map((name) => Date.parse(search().get(name) ?? ''))
      expect((to ?? 0) - (from ?? 0)).toBeGreaterThan(24 * 3_600_000)
      expect(search().getAll('action')).not.toContain('login')
    }
    await overview.crosshair.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('b')
    await expectChanges()
    await page.goBack()
    await overview.crosshair.waitFor()
    await overview.pointAt(0.999)
    await page.mouse.down({ button: 'right' })
    await page.mouse.up({ button: 'right' })
    await expectChanges()
  })

  it('support the keyboard: arrows move, Shift selects, Enter zooms, and Back zooms out', async () => {
    const team = await workspaceWith(shared.console, 'Keys', [
      ...batch(4, { created_at: hoursAgo(3) }),
      { created_at: hoursAgo(3), status: 'error' },
      ...batch(2, { created_at: hoursAgo(10) }),
    ])
    const { page, overview, runs, search } = await open(`?workspace=${team.slug}`)
    await overview.crosshair.focus()
    await page.keyboard.press('End')
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowLeft')
    await eventually(() => overview.legend('runs').innerText()).toMatch(/ok\s+4\s+error\s+1/)
    expect(await overview.crosshair.getAttribute('aria-valuetext')).toMatch(
      /Runs: ok 4, error 1; Latency: p50 8/,
    )
    await page.keyboard.press('Shift+ArrowRight')
    await overview.selection.waitFor()
    await page.keyboard.press('Escape')
    await overview.selection.waitFor({ state: 'detached' })
    await page.keyboard.press('End')
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('Shift+ArrowLeft')
    await overview.selection.waitFor()
    await page.keyboard.press('Enter')
    await eventually(() => search().has('from')).toBe(true)
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+5\s/)
    // Five hours including the current one: drawn in finer buckets, or there would be five points.
    await eventually(() => overview.buckets()).toBeGreaterThan(4 * 12)
    await page.goBack()
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+7\s/)
    await overview.crosshair.focus()
    await page.keyboard.press('End')
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowLeft')
    await eventually(() => overview.legend('runs').innerText()).toMatch(/ok\s+4\s+error\s+1/)
    await page.keyboard.press('Enter')
    await eventually(() => runs.rows.count()).toBe(5)
  })

  it('support the pointer: a shared crosshair, drag zooms, a click opens the rows of the bucket', async () => {
    const team = await workspaceWith(shared.console, 'Pointer', [
      ...batch(6, { created_at: hoursAgo(12), prompt_tokens: 100, output_tokens: 20, model: 'gpt-4o' }),
      ...batch(2, { created_at: hoursAgo(23) }),
    ])
    const { overview, runs, page, search } = await open(`?workspace=${team.slug}`)
    await overview.crosshair.waitFor()
    await overview.pointAt(12.5 / 25)
    await eventually(() => overview.legend('runs').innerText()).toMatch(/ok\s+6/)
    expect(await overview.legend('tokens').innerText()).toMatch(/in\s+600\s+out\s+120/)
    expect(await overview.legend('latency').innerText()).toMatch(/p95\s+8\d\d ms/)
    await overview.clickAt(12.5 / 25)
    await eventually(() => runs.rows.count()).toBe(6)
    await page.goBack()
    await overview.crosshair.waitFor()
    await overview.drag(0.4, 0.6)
    await eventually(() => search().has('to')).toBe(true)
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+6\s/)
    await page.goBack()
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+8\s/)
  })

  it('cut the first bucket at the start of the period, so that its count matches its rows', async () => {
    const minutes = new Date().getMinutes()
    // Two runs of the same hour, one of them before the period begins.
    const start = Date.now() - 20 * 3_600_000 - (minutes - 30) * 60_000
    const at = (offset: number): string => new Date(start + offset * 60_000).toISOString()
    const team = await workspaceWith(shared.console, 'Cut', [{ created_at: at(-5) }, { created_at: at(5) }])
    const { page, overview, runs } = await open(`?workspace=${team.slug}&from=${at(0)}`)
    await overview.crosshair.focus()
    await page.keyboard.press('Home')
    await eventually(() => overview.legend('runs').innerText()).toMatch(/ok\s+1/)
    await page.keyboard.press('Enter')
    await eventually(() => runs.rows.count()).toBe(1)
  })

  it('compare with the previous period, kept in the address; all time has none', async () => {
    // Whole hours, so that no hour can end meanwhile.
    const end = Math.floor(Date.now() / 3_600_000)
    const hour = (offset: number): string => new Date((end + offset) * 3_600_000).toISOString()
    const team = await workspaceWith(shared.console, 'Compared', [
      ...batch(3, { created_at: hour(-1.5) }),
      ...batch(5, { created_at: hour(-25.5) }),
    ])
    const { page, overview, search } = await open(`?workspace=${team.slug}&from=${hour(-24)}&to=${hour(0)}`)
    await overview.crosshair.waitFor()
    expect(await overview.legend('runs').innerText()).not.toContain('previous period')
    await overview.compare.click()
    await eventually(() => search().get('compare')).toBe('previous')
    await page.reload()
    await overview.crosshair.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await eventually(() => overview.legend('runs').innerText()).toMatch(
      /ok\s+3\s+error\s+0\s+previous period\s+5/,
    )
    expect(await overview.legend('latency').innerText()).toMatch(/previous period\s+8\d\d ms/)
    await overview.choosePeriod('All time')
    await eventually(() => overview.compare.getAttribute('aria-disabled')).toBe('true')
    expect(await overview.legend('runs').innerText()).not.toContain('previous period')
  })

  it('are also available as a table, whose rows link to their runs', async () => {
    const team = await workspaceWith(shared.console, 'Table', batch(3, { created_at: hoursAgo(1) }))
    const { page, overview, runs, search } = await open(`?workspace=${team.slug}`)
    await overview.crosshair.waitFor()
    const height = (await page.getByTestId('time-series').boundingBox())?.height
    await page.keyboard.press('t')
    await overview.table.waitFor()
    expect(search().get('view')).toBe('table')
    expect((await page.getByTestId('time-series').boundingBox())?.height).toBe(height)
    expect(await overview.table.getByRole('columnheader').allInnerTexts()).toEqual([
      'Time',
      'Runs ok',
      'Runs error',
      'Latency p50',
      'Latency p95',
      'Latency p99',
      'Tokens in',
      'Tokens out',
      'Cost',
    ])
    expect(await axeFaults(page, '[data-testid="time-series"]')).toEqual([])
    await overview.tableRows.nth(1).getByRole('link').click()
    await eventually(() => runs.rows.count()).toBe(3)
    await page.goBack()
    await overview.table.waitFor()
    await page.keyboard.press('t')
    await overview.crosshair.waitFor()
  })

  it('pause updates under the pointer, and catch up afterwards', async () => {
    const team = await workspaceWith(shared.console, 'Still', batch(2))
    const { page, overview } = await open(`?workspace=${team.slug}`)
    await overview.crosshair.waitFor()
    await overview.pointAt(0.999)
    await eventually(() => overview.legend('runs').innerText()).toMatch(/ok\s+2/)
    await team.report({}, {}, {})
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+5\s/)
    await overview.pausedUpdates.waitFor()
    expect(await overview.legend('runs').innerText()).toMatch(/ok\s+2/)
    await page.mouse.move(5, 5)
    await overview.pausedUpdates.waitFor({ state: 'detached' })
    await overview.pointAt(0.999)
    await eventually(() => overview.legend('runs').innerText()).toMatch(/ok\s+5/)
  })
})

describe('The printed Overview', { timeout: patience }, () => {
  it('is one light page without controls, regardless of the screen', async () => {
    const team = await workspaceWith(shared.console, 'Paper', [
      ...batch(30, { ref_key: 'greet' }),
      ...batch(2, { status: 'error', error: 'out of paper', provider: 'claude', model: 'sonnet' }),
    ])
    const { page, close } = await shared.console.visit(shared.token, { colorScheme: 'dark' })
    const overview = overviewPage(page)
    await overview.goto(`?workspace=${team.slug}&provider=openai`)
    await overview.crosshair.waitFor()
    await overview.list('Latest changes').waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation').first().isVisible()).toBe(false)
    expect(await overview.compare.isVisible()).toBe(false)
    await page
      .getByText(/^Last 24 hours \(\w+ \d+, \d{4}, .* – .*\) · Workspace: paper · Provider: openai$/)
      .waitFor()
    await page.getByText(/^Printed \w+ \d+, \d{4}, \d\d:\d\d\. Times are in /).waitFor()
    const printed = await page.locator('time[data-printed]').first().getAttribute('data-printed')
    expect(printed).toMatch(/^\w+ \d+, \d{4}, \d\d:\d\d$/)
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(255, 255, 255)',
    )
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    expect(pdf.match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1)
    await close()
  })
})
