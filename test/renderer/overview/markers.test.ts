import { beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withOverview } from '../support/fixtures/overview.ts'
import { overviewPage } from '../support/pages/overview.ts'
import { hoursAgo, report } from '../support/pages/runs.ts'

describe('Markers on the charts', { timeout: patience }, () => {
  const { shared, open } = withOverview()
  beforeAll(() => shared.console.server.client().runs.report({ body: report() }))

  it('describe the event on focus and on hover, and open the audit entry', async () => {
    const { id } = await shared.console.server.signedIn('editor', 'edda')
    await shared.console.server.client().users.update({ params: { id }, body: { role: 'viewer' } })
    const { page, overview } = await open()
    await eventually(() => overview.markers.count()).toBe(1)
    await overview.markers.first().focus()
    await overview.card.getByText('Changed the role of edda from editor to viewer').waitFor()
    expect(await axeFaults(page, '[data-testid="time-series"], [data-testid="marker-card"]')).toEqual([])
    await page.keyboard.press('Escape')
    await overview.card.waitFor({ state: 'detached' })
    await overview.markers.first().hover()
    await overview.card.waitFor()
    await overview.markers.first().click()
    await eventually(() => new URL(page.url()).pathname).toMatch(/^\/audit\/\d+$/)
    await page.getByTestId('drawer').getByText('edda').first().waitFor()
  })

  it('distinguish publish and roll back, and the health line names the newest', async () => {
    const entry = (id: number, action: string, summary: string, hours: number) => ({
      id,
      action,
      summary,
      actor: 'edda',
      actor_id: null,
      actor_kind: 'user',
      resource: 'prompt',
      resource_id: null,
      key: 'greet',
      workspace_id: 'default',
      ip: null,
      request_id: null,
      hash: 'x',
      created_at: hoursAgo(hours),
    })
    const { page } = shared.visit
    const overview = overviewPage(page)
    await page.route(/\/api\/audit\?.*action=publish/, (route) => {
      const data = [
        entry(9002, 'rollback', 'Rolled greet back to v3 in prod', 2),
        entry(9001, 'publish', 'Published greet v4 in prod', 20),
      ]
      const chain = { ok: true, status: 'verified', unverifiable_before: null, verified_at: null }
      return route.fulfill({ json: { data, total: data.length, next_cursor: null, chain } })
    })
    await overview.goto()
    await eventually(() => overview.health.innerText()).toMatch(/last rollback 2 hr ago by edda/)
    await overview.marker('Published greet v4 in prod').focus()
    await overview.card.getByText('Published · edda').waitFor()
    await overview.marker('Rolled greet back to v3 in prod').focus()
    await overview.card.getByText('Rolled back · edda').waitFor()
    await page.unroute(/\/api\/audit\?.*action=publish/)
  })

  it('that overlap are combined with a count, and a card lists them', async () => {
    const { id } = await shared.console.server.signedIn('editor', 'finn')
    await shared.console.server.client().users.update({ params: { id }, body: { role: 'viewer' } })
    await shared.console.server.call('POST /api/login', { body: { username: 'finn', password: 'wrong' } })
    const { page, overview } = await open()
    await eventually(() => overview.markers.first().innerText()).toBe('3')
    await overview.markers.first().focus()
    const lines = overview.card.getByRole('link')
    await eventually(() => lines.count()).toBe(3)
    expect(await overview.card.innerText()).toContain('Sign-in failed')
    // Enter moves into the card, and from there to the entry.
    await page.keyboard.press('Enter')
    await eventually(() => lines.first().evaluate((line) => line === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await eventually(() => new URL(page.url()).pathname).toMatch(/^\/audit\/\d+$/)
  })
})
