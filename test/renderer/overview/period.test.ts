import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { overviewPage } from '../support/pages/overview.ts'
import { hoursAgo, workspaceWith } from '../support/pages/runs.ts'
import { followPath, openPath } from '../support/warm.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** Returns the start of the period of the next request for statistics. */
async function nextStart(page: Page): Promise<string | null> {
  const request = await page.waitForRequest(/\/api\/runs\/stats\?/)
  return new URL(request.url()).searchParams.get('from')
}

describe('Relative periods of the Overview', { timeout: patience }, () => {
  const console = setUpConsole()
  let token: string
  beforeAll(async () => {
    token = (await console.server.signedIn('viewer')).token
    await console.server
      .client()
      .runs.report({ body: { provider: 'openai', model: 'gpt-4o', status: 'ok', latency_ms: 840 } })
  })

  /** Opens the Overview at a time, and returns the start of the period that it requests. */
  async function startAt(page: Page, time: number, search: string): Promise<string | null> {
    // The Overview that is open would request the period at the new time too.
    await followPath(page, '/users')
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    await page.clock.setFixedTime(time)
    const start = nextStart(page)
    await openPath(page, `/${search}`)
    await overviewPage(page).tile('Runs').waitFor()
    return start
  }

  it('move on while the page is open, and begin at the same time if it is opened in the same step', async () => {
    const { page, faults, close } = await console.visit(token, { isSpoilt: true })
    await page.clock.install()
    const first = nextStart(page)
    await page.goto('/?period=24h')
    await page.clock.resume()
    await overviewPage(page).tile('Runs').waitFor()
    const next = nextStart(page)
    await page.clock.fastForward(2 * minute)
    const moved = Date.parse((await next) ?? '') - Date.parse((await first) ?? '')
    expect(moved).toBeGreaterThanOrEqual(2 * minute)
    expect(moved % minute).toBe(0)
    for (const [period, length, step] of [
      ['15m', 15 * minute, 5000],
      ['24h', day, minute],
      ['7d', 7 * day, 5 * minute],
    ] as const) {
      const at = Math.floor(Date.now() / step) * step
      const search = `?period=${period}`
      const starts = [await startAt(page, at, search), await startAt(page, at + step - 1, search)]
      expect(starts, period).toEqual(Array(2).fill(new Date(at - length).toISOString()))
      expect(await startAt(page, at + step, search)).toBe(new Date(at + step - length).toISOString())
    }
    expect(faults).toEqual([])
    await close()
  })

  it('are kept in the address; an empty one offers all time', async () => {
    const team = await workspaceWith(console, 'Long ago', Array(7).fill({ created_at: hoursAgo(24 * 20) }))
    const { page, faults, close } = await console.visit(token)
    const overview = overviewPage(page)
    await overview.goto(`?workspace=${team.slug}`)
    await eventually(() => overview.health.innerText()).toContain('No runs in this period')
    await overview.choosePeriod('Last 30 days')
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/7/)
    await page.reload()
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/7/)
    await overview.choosePeriod('Last hour')
    await overview.empty.getByRole('button', { name: 'Show all time' }).click()
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/7[\s\S]*all time/)
    expect(faults).toEqual([])
    await close()
  })

  it('label hours, the repeated one too, and rounded days in a zone with half hours', async () => {
    const { slug, report } = await workspaceWith(console, 'Half hours', [{}])
    for (let sent = 0; sent < 10; sent += 1) await report(...Array(500).fill({ created_at: hoursAgo(200) }))
    await console.server.call('PATCH /api/settings', { body: { run_retention_days: 3650 } })
    await report({ created_at: '2025-04-05T16:30:00.000Z' })
    const timeZone = 'Australia/Adelaide'
    const { page, close } = await console.visit(token, { timezoneId: timeZone })
    const overview = overviewPage(page)
    await overview.goto(`?workspace=${slug}&period=24h`)
    await page.getByText('12:00', { exact: true }).first().waitFor()
    await overview.goto(
      `?workspace=${slug}&from=2025-04-05T08:00:00.000Z&to=2025-04-06T00:00:00.000Z&view=table`,
    )
    await page.getByText('Apr 6, 02:30 GMT+10:30–02:30 GMT+9:30').waitFor()
    await overview.goto(`?workspace=${slug}&period=30d&view=table`)
    await page.getByText('Days begin up to an hour early').waitFor()
    const today = new Date().toLocaleDateString('en-US', { day: 'numeric', month: 'short', timeZone })
    await eventually(() => overview.tableRows.first().locator('th').innerText()).toBe(today)
    await close()
  })
})
