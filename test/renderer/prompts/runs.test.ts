import { beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { chartPart } from '../support/charts.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { auditPage } from '../support/pages/audit.ts'
import { overviewPage } from '../support/pages/overview.ts'
import { promptPage } from '../support/pages/prompts.ts'
import { hoursAgo, report, runsPage, workspaceWith } from '../support/pages/runs.ts'

describe('A prompt in run charts', { timeout: patience }, () => {
  const console = setUpConsole()
  let token: string
  const add = async (key: string, content = 'One') =>
    (await console.server.client().prompts.create({ body: { key, content, env: 'prod' } })).data
  const publish = async (id: string, content: string, message: string) => {
    await console.server.client().prompts.update({ params: { id }, body: { content } })
    await console.server.client().promptVersions.publish({ params: { id }, body: { message } })
  }
  const open = async (id: string, search = '?tab=runs') => {
    const { page, faults, close } = await console.visit(token)
    const prompt = promptPage(page)
    await prompt.goto(id, search)
    const params = () => new URL(page.url()).searchParams
    return { page, prompt, chart: chartPart(page), runs: runsPage(page), params, faults, close }
  }
  beforeAll(async () => {
    token = (await console.server.signedIn('viewer')).token
  })

  it('marks when a version was published, and opens its diff by a click or Enter', async () => {
    const { id } = await add('charted/marked')
    await publish(id, 'Two', 'Better')
    await console.server.client().promptVersions.rollback({ params: { id }, body: { version: 'v1' } })
    await console.server.client().runs.report({ body: [report({ ref_key: 'charted/marked', env: 'prod' })] })
    const { page, prompt, chart, params, faults, close } = await open(id)
    const marker = chart.markers.first()
    await marker.focus()
    const lines = chart.card.getByRole('link')
    await eventually(() => lines.count()).toBe(3)
    expect(await chart.card.innerText()).toMatch(
      /v3 rolled back by service-token.*v2 published by service-token: Better.*v1 published/s,
    )
    await page.getByRole('table', { name: 'Latest runs' }).waitFor()
    await page.getByRole('list', { name: 'Events' }).getByRole('button').first().waitFor()
    expect(await axeFaults(page, 'main')).toEqual([])
    const changes = () => prompt.diff.locator('del, ins').allInnerTexts()
    const compared = () => ['tab', 'from', 'to'].map((name) => params().get(name))
    await lines.nth(1).click()
    await eventually(changes).toEqual(['−\nOne', '+\nTwo'])
    expect(compared()).toEqual(['versions', 'v1', 'v2'])
    await page.goBack()
    // Several share the position: Enter moves into their card.
    await marker.focus()
    await eventually(() => lines.count()).toBe(3)
    await page.keyboard.press('Enter')
    await eventually(() => lines.first().evaluate((line) => line === document.activeElement)).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await eventually(changes).toEqual(['−\nOne', '+\nTwo'])
    expect(compared()).toEqual(['versions', 'v1', 'v2'])
    expect(faults).toEqual([])
    await close()
  })

  it('opens the only version directly, and shows all of the first one as added', async () => {
    const { id } = await add('charted/once', 'The very first')
    const { page, prompt, chart, params, close } = await open(id)
    await chart.marker('v1 published by service-token').focus()
    await page.keyboard.press('Enter')
    await prompt.diff.locator('ins').getByText('The very first').waitFor()
    expect([params().get('from'), params().get('to')]).toEqual(['none', 'v1'])
    expect(await page.getByRole('button', { name: 'Swap sides' }).getAttribute('aria-disabled')).toBe('true')
    await close()
  })

  it('links a bar to its rows: this prompt, its workspace, that bucket', async () => {
    const { id, workspace_id: workspace } = await add('charted/rows')
    const fields = { ref_key: 'charted/rows', version: 'v1', env: 'prod' } as const
    await console.server.client().runs.report({
      body: [
        // More runs than errors: the middle of the bar opens all, its errors open only those.
        ...Array.from({ length: 3 }, () => report({ ...fields, created_at: hoursAgo(12) })),
        report({ ...fields, created_at: hoursAgo(12), status: 'error', error: 'went bad' }),
        report({ ...fields, created_at: hoursAgo(3) }),
        report({ ref_key: 'another', created_at: hoursAgo(12) }),
      ],
    })
    const { page, chart, runs, params, close } = await open(id)
    await chart.pointAt(12.5 / 25)
    await eventually(() => chart.legend('runs').innerText()).toMatch(/ok\s+3\s+error\s+1/)
    await chart.clickAt(12.5 / 25)
    await eventually(() => runs.rows.count()).toBe(4)
    expect([params().getAll('ref_key'), params().get('workspace')]).toEqual([['charted/rows'], workspace])
    expect(Date.parse(params().get('to') ?? '') - Date.parse(params().get('from') ?? '')).toBe(3_600_000)
    await page.goBack()
    await chart.crosshair.waitFor()
    await page.keyboard.press('t')
    await chart.table.waitFor()
    await chart.tableRows
      .filter({ hasText: /8\d\d ms/ })
      .first()
      .getByRole('link')
      .click()
    await eventually(() => runs.rows.count()).toBe(1)
    await close()
  })

  it('shows changes before a point', async () => {
    const key = 'charted/before'
    const { id, workspace_id: workspace } = await add(key)
    await publish(id, 'Two', 'Worse')
    await console.server
      .client()
      .runs.report({ body: [report({ ref_key: key, status: 'error', error: 'bad' })] })
    const { page, chart, params, close } = await open(id)
    await chart.crosshair.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('b')
    await auditPage(page).row('Worse').waitFor()
    expect([new URL(page.url()).pathname, params().get('workspace')]).toEqual(['/audit', workspace])
    expect(params().getAll('action')).toContain('publish')
    expect(params().getAll('action')).not.toContain('login')
    await close()
  })

  it('zooms into a drawn range, kept in the address, and out again', async () => {
    const { id } = await add('charted/zoom')
    const fields = { ref_key: 'charted/zoom', env: 'prod' } as const
    await console.server.client().runs.report({
      body: [
        report({ ...fields, created_at: hoursAgo(12) }),
        report({ ...fields, created_at: hoursAgo(23) }),
      ],
    })
    const { page, chart, params, close } = await open(id)
    await chart.crosshair.waitFor()
    const figures = page.getByTestId('run-trends').locator('p').first()
    await eventually(() => figures.innerText()).toMatch(/^2 runs/)
    await chart.drag(0.4, 0.6)
    await eventually(() => params().has('since')).toBe(true)
    await eventually(() => figures.innerText()).toMatch(/^1 run\b/)
    await page.reload()
    await eventually(() => figures.innerText()).toMatch(/^1 run\b/)
    await page.getByRole('radiogroup', { name: 'Period' }).getByText('Last 7 days').click()
    await eventually(() => figures.innerText()).toMatch(/^2 runs/)
    expect([params().has('since'), params().get('period')]).toEqual([false, '7d'])
    await close()
  })

  it('marks a version on the Overview, whose marker opens its changes', async () => {
    const { slug } = await workspaceWith(console, 'Marked', [{}])
    const client = console.server.client()
    const body = { key: 'marked', content: 'One', env: 'dev' as const, workspace_id: slug }
    const { id } = (await client.prompts.create({ body })).data
    await client.prompts.update({ params: { id }, body: { content: 'Two' } })
    await client.promptVersions.publish({ params: { id }, body: {} })
    const { page, close } = await console.visit(token)
    const overview = overviewPage(page)
    await overview.goto(`?workspace=${slug}&period=15m`)
    await overview.marker('Published marked v2 in dev').focus()
    await overview.card.getByText('Published · service-token').waitFor()
    await page.keyboard.press('Enter')
    const diff = page.getByTestId('diff').locator('del, ins')
    await eventually(() => diff.allInnerTexts()).toEqual(['−\nOne', '+\nTwo'])
    const url = new URL(page.url())
    expect([url.pathname, url.search]).toEqual([
      `/prompts/${id}`,
      `?tab=versions&from=v1&to=v2&workspace=${slug}`,
    ])
    await close()
  })

  it('lists versions on the Overview in a card, each linking to its own change, a promotion to the target', async () => {
    const { slug } = await workspaceWith(console, 'Several', [{}])
    const client = console.server.client()
    const { id } = (
      await client.prompts.create({ body: { key: 'many', content: 'One', env: 'dev', workspace_id: slug } })
    ).data
    await client.prompts.update({ params: { id }, body: { content: 'Two' } })
    await client.promptVersions.publish({ params: { id }, body: {} })
    const target = (await client.promptVersions.promote({ params: { id }, body: { env: 'prod' } })).data
    const { page, close } = await console.visit(token)
    const overview = overviewPage(page)
    await overview.goto(`?workspace=${slug}`)
    await overview.markers.first().focus()
    const lines = overview.card.getByRole('link')
    await eventually(() => lines.count()).toBe(2)
    await overview.card.getByText('Promoted · service-token').waitFor()
    await lines.first().click()
    await page.getByTestId('diff').locator('ins').getByText('Two').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/prompts/${target.id}`)
    await close()
  })
})
