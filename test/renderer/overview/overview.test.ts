import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { RunReport } from '../../../contract/runs/run.ts'
import { serviceToken } from '../../support/service.ts'
import { eventually, patience } from '../support/console.ts'
import { withOverview } from '../support/fixtures/overview.ts'
import { overviewPage } from '../support/pages/overview.ts'
import { hoursAgo, problem, report, workspaceWith } from '../support/pages/runs.ts'
import { shell } from '../support/shell.ts'
import { followPath } from '../support/warm.ts'

/** Returns `count` runs, the first `failed` of which have failed. */
const batch = (count: number, failed: number, overrides: Partial<RunReport> = {}): Partial<RunReport>[] =>
  Array.from({ length: count }, (_, index) => ({
    ...overrides,
    ...(index < failed && { status: 'error' as const, error: `timed out after ${index} ms` }),
  }))

describe('Overview', { timeout: patience }, () => {
  const { shared, open } = withOverview()

  it('without a run explains how to report one to this address, and updates automatically', async () => {
    const { overview } = await open('')
    await overview.empty.getByText('Connect your app').waitFor()
    expect(await overview.empty.getByRole('region').innerText()).toContain(
      `curl ${shared.console.server.url}/api/runs`,
    )
    expect(await overview.health.innerText()).toContain('No runs yet')
    await shared.console.server.client().runs.report({ body: report() })
    await overview.tile('Runs').waitFor()
    expect(await overview.empty.count()).toBe(0)
    await eventually(() => overview.health.innerText()).toContain('Healthy: 100% ok')
  })

  it('summarizes the figures as healthy, unhealthy, or needing attention', async () => {
    const { page, overview } = await open('')
    for (const [verdict, reports, reason] of [
      ['Healthy', batch(100, 1), '99% ok'],
      ['Needs attention', batch(100, 4), '4% of runs failed (4 of 100)'],
      ['Unhealthy', batch(20, 5), '25% of runs failed (5 of 20)'],
      [
        'Needs attention',
        [
          ...batch(40, 0, { created_at: hoursAgo(30), latency_ms: 300 }),
          ...batch(40, 0, { latency_ms: 4000 }),
        ],
        'up from',
      ],
    ] as const) {
      const team = await workspaceWith(shared.console, `Health ${reason}`, reports)
      await followPath(page, `/?workspace=${team.slug}`)
      await eventually(() => overview.health.innerText()).toContain(reason)
      expect(await overview.health.innerText()).toContain(verdict)
    }
  })

  it('shows figures that link to their rows, compared with the previous period; unknown cost is a dash', async () => {
    const team = await workspaceWith(shared.console, 'Figures', [
      ...batch(10, 0, { created_at: hoursAgo(36), prompt_tokens: 100, output_tokens: 0 }),
      ...batch(20, 1, { prompt_tokens: 900, output_tokens: 100, model: 'unheard-of' }),
    ])
    const { page, overview, runs } = await open(`?workspace=${team.slug}`)
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/20[\s\S]*up 100%[\s\S]*from 10/)
    expect(await overview.tile('Error rate').innerText()).toMatch(/5%[\s\S]*up 5\.0 pt[\s\S]*from 0%/)
    expect(await overview.tile('Tokens').innerText()).toMatch(/20,000[\s\S]*up 20×[\s\S]*from 1,000/)
    expect(await overview.tile('Cost').innerText()).toMatch(/—[\s\S]*20 runs without a price/)
    expect(await overview.tile('Latency p95').innerText()).toMatch(/8\d\d ms/)
    expect(await overview.tiles.count()).toBe(6)
    await overview.tile('Runs').click()
    await eventually(() => runs.rows.count()).toBe(20)
    await page.goBack()
    await overview.tile('Error rate').click()
    await eventually(() => runs.rows.count()).toBe(1)
  })

  it('divides by provider, model, source and key; a name filters everything, a figure links to its runs', async () => {
    const team = await workspaceWith(shared.console, 'Slices', [
      ...batch(3, 1, { provider: 'claude', model: 'sonnet', ref_key: 'greet', source: 'agent' }),
      ...batch(2, 0),
    ])
    const { page, overview, runs } = await open(`?workspace=${team.slug}`)
    const row = overview.breakdown('By provider').getByRole('row').filter({ hasText: 'claude' })
    await eventually(() => row.getByRole('cell').allInnerTexts()).toEqual([
      '3',
      '33.3%',
      expect.stringMatching(/^8\d\d ms$/),
      '—',
    ])
    // Runs without a key cannot be filtered by it.
    const noKey = overview.breakdown('By key').getByRole('row').filter({ hasText: 'no key' })
    expect(await noKey.getByRole('button').count()).toBe(0)
    await overview.breakdown('By source').getByRole('button', { name: 'agent' }).click()
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+3\s/)
    await overview.filters.chip('Source').waitFor()
    expect(new URL(page.url()).searchParams.getAll('source')).toEqual(['agent'])
    await row.getByRole('link', { name: '33.3%, 1 error of claude in Runs' }).click()
    await eventually(() => runs.rows.count()).toBe(1)
    await page.goBack()
    await row.getByRole('link', { name: '3 runs of claude in Runs' }).click()
    await eventually(() => runs.rows.count()).toBe(3)
    expect(new URL(page.url()).searchParams.getAll('source')).toEqual(['agent'])
    await page.goBack()
    await row.getByRole('link', { name: /^8\d\d ms \(p95\) and slower runs of claude in Runs$/ }).click()
    await eventually(() => runs.rows.count()).toBeGreaterThan(0)
    expect(new URL(page.url()).searchParams.get('min_latency_ms')).toMatch(/^[78]\d\d$/)
    await page.goBack()
    await overview.filters.remove('Source')
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+5\s/)
  })

  it('reports if filters match nothing, and clears them', async () => {
    const team = await workspaceWith(shared.console, 'Narrow', batch(4, 0))
    const { overview } = await open(`?workspace=${team.slug}&provider=nobody`)
    await overview.empty.getByText('No runs match these filters').waitFor()
    await overview.empty.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+4\s/)
  })

  it('groups equal errors, links to their runs and the latest of them, and fits 900 px', async () => {
    const team = await workspaceWith(shared.console, 'Faults', [
      ...batch(3, 3, { ref_key: 'مرحبا 🎉' }),
      { status: 'error', error: 'invalid api key' },
    ])
    const { page, overview, runs } = await open(`?workspace=${team.slug}`)
    const errors = overview.list('Most frequent errors').getByRole('listitem')
    const frequent = errors.first()
    await eventually(() => errors.count()).toBe(2)
    await overview.list('Latest changes').waitFor()
    await page.setViewportSize({ width: 900, height: 900 })
    const width = await page.evaluate(() => document.querySelector('main')?.scrollWidth ?? 0)
    expect(width).toBeLessThanOrEqual(900)
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await frequent.innerText()).toMatch(/timed out after 2 ms[\s\S]*3×/)
    await frequent.getByRole('link', { name: /timed out/ }).click()
    await eventually(() => runs.rows.count()).toBe(3)
    expect(new URL(page.url()).searchParams.get('q')).toBe('timed out after ms')
    await page.goBack()
    await frequent.getByRole('link', { name: /Open latest run/ }).click()
    await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${team.ids[2]}`)
    expect(new URL(page.url()).searchParams.get('status')).toBe('error')
  })

  it('lists changes by users, without sign-ins, and links to the entry', async () => {
    const { id } = await shared.console.server.signedIn('editor', 'edda')
    await shared.console.server.client().users.update({ params: { id }, body: { role: 'viewer' } })
    const { page, overview } = await open('')
    const latest = overview.list('Latest changes').getByRole('listitem').first()
    await eventually(() => latest.innerText()).toContain('edda')
    expect(await overview.list('Latest changes').innerText()).not.toMatch(/signed in/i)
    await eventually(() => overview.health.innerText()).toMatch(/last change .* by service-token/)
    await latest.getByRole('link').click()
    await eventually(() => new URL(page.url()).pathname).toMatch(/^\/audit\/\d+$/)
  })

  it('uses the workspace selected in the header', async () => {
    const team = await workspaceWith(shared.console, 'Chosen one', batch(5, 0))
    const { page, overview } = await open('')
    await overview.tile('Runs').waitFor()
    await shell(page).chooseWorkspace('Chosen one')
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+5\s/)
    await team.report({})
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+6\s/)
  })

  it('counts connected clients live', async () => {
    const { overview } = await open('')
    const count = async (): Promise<number> =>
      Number(/\d+/.exec(await overview.tile('Connected clients').innerText())?.[0])
    const listed = async (): Promise<number> =>
      (await shared.console.server.client().clients.list({ query: { kind: 'app' } })).total
    await eventually(async () => (await count()) === (await listed())).toBe(true)
    const before = await count()
    const socket = new WebSocket(
      `${shared.console.server.url.replace('http', 'ws')}/ws?client=node-sdk&app=shop`,
      {
        headers: { authorization: `Bearer ${serviceToken}` },
      },
    )
    await eventually(count).toBe(before + 1)
    expect(await overview.health.innerText()).toContain(`${before + 1} client`)
    socket.close()
    await eventually(count).toBe(before)
  })

  it('shows an error with Retry, and marks figures that could not be refreshed', async () => {
    const team = await workspaceWith(shared.console, 'Stale', batch(2, 0))
    const { page } = shared.visit
    const overview = overviewPage(page)
    const failStatistics = (): Promise<unknown> =>
      page.route('**/api/runs/stats?*', (route) =>
        route.fulfill(problem(422, 'request.invalid', 'The request is not valid')),
      )
    await failStatistics()
    await overview.goto(`?workspace=${team.slug}`)
    await overview.failure.getByText('request-1').waitFor()
    await page.unroute('**/api/runs/stats?*')
    await overview.failure.getByRole('button', { name: 'Retry' }).click()
    await overview.tile('Runs').waitFor()
    await failStatistics()
    await team.report({})
    await page.getByText('Could not refresh; these figures may be outdated').waitFor()
    expect(await overview.tile('Runs').innerText()).toMatch(/^Runs\s+2\s/)
    await page.unroute('**/api/runs/stats?*')
  })

  it('shows figures during a burst although each reply takes longer than the interval of changes', async () => {
    const team = await workspaceWith(shared.console, 'Burst', batch(2, 0))
    const { page, overview } = await open(`?workspace=${team.slug}`)
    await eventually(() => overview.tile('Runs').innerText()).toMatch(/^Runs\s+2\s/)
    let [waiting, maxWaiting] = [0, 0]
    await page.route('**/api/runs/stats?*', async (route) => {
      waiting += 1
      maxWaiting = Math.max(maxWaiting, waiting)
      await sleep(1500)
      waiting -= 1
      // The page may have aborted the request meanwhile.
      await route.continue().catch(() => undefined)
    })
    let isOver = false
    const burst = (async () => {
      while (!isOver) await team.report({}, {})
    })()
    try {
      await eventually(async () =>
        Number(/\d+/.exec((await overview.tile('Runs').innerText()).replace(',', ''))?.[0]),
      ).toBeGreaterThan(2)
    } finally {
      isOver = true
      await burst
    }
    // Not requested again before the reply.
    expect(maxWaiting).toBe(1)
    await page.unroute('**/api/runs/stats?*')
  })
})
