import { describe, expect, it } from 'vitest'
import { eventually, patience } from '../support/console.ts'
import { withRuns } from '../support/fixtures/runs.ts'
import { hoursAgo, workspaceWith } from '../support/pages/runs.ts'

const { shared, open } = withRuns()

describe('Runs', { timeout: patience }, () => {
  it('explain how to report the first one, with this address, and show it automatically', async () => {
    const team = await workspaceWith(shared.console, 'Nothing yet', [])
    const { page, runs } = await open(`?workspace=${team.slug}`)
    await runs.empty.getByText('No runs yet').waitFor()
    const command = await runs.empty.getByRole('region').innerText()
    expect(command).toContain(`curl ${shared.console.server.url}/api/runs`)
    expect(command).toContain(`"workspace_id": "${team.slug}"`)
    await team.report({ ref_key: 'first/of-all' })
    await runs.row('first/of-all').waitFor()
    expect(await runs.count.innerText()).toBe('1')
    expect(await page.title()).toBe('Runs · Promptdeck')
  })

  it('list the newest first; an estimate is marked and an unknown cost is a dash, not 0', async () => {
    const team = await workspaceWith(shared.console, 'Figures', [
      {
        prompt_tokens: 128_000,
        output_tokens: 64,
        tokens_estimated: true,
        model: 'unheard-of',
        latency_ms: 1240,
      },
      {
        prompt_tokens: 1_204_331,
        output_tokens: 1_000_000_000,
        tokens_estimated: false,
        cost_usd: 0.0042,
        latency_ms: 840,
      },
      {
        provider: 'ollama',
        model: 'llama3',
        status: 'error',
        error: 'out of memory',
        latency_ms: 999_700,
        cost_usd: 1e-9,
      },
    ])
    const [estimated = 0, priced = 0, failed = 0] = team.ids
    const { runs } = await open(`?workspace=${team.slug}`)
    await runs.rowOf(failed).waitFor()
    expect(await runs.ids()).toEqual([failed, priced, estimated])
    expect(await runs.cell(estimated, 5)).toBe('~128,000')
    expect(await runs.cell(estimated, 7)).toBe('1.2 s')
    expect(await runs.cell(estimated, 9)).toBe('—')
    expect(await runs.cell(priced, 5)).toBe('1,204,331')
    expect(await runs.cell(priced, 7)).toBe('840 ms')
    expect(await runs.cell(priced, 9)).toBe('$0.0042')
    expect(await runs.cell(failed, 7)).toBe('16 min 40 s')
    expect(await runs.cell(failed, 8)).toBe('error')
    expect(await runs.cell(failed, 9)).toBe('<$0.000001')
    const cut = runs.table
      .locator('td')
      .evaluateAll((cells) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
      )
    expect(await cut).toEqual([])
  })

  it('keep every filter in the address, as a removable chip', async () => {
    const team = await workspaceWith(shared.console, 'Filters', [
      {
        status: 'error',
        provider: 'claude',
        model: 'sonnet',
        latency_ms: 2000,
        ref_key: 'a',
        error: 'overloaded',
      },
      { status: 'error', provider: 'openai', latency_ms: 2000, ref_key: 'a' },
      { provider: 'claude', latency_ms: 2000 },
      { provider: 'claude', status: 'error', latency_ms: 10 },
    ])
    const [wanted] = team.ids
    const { runs, search } = await open(
      `?workspace=${team.slug}&provider=claude&provider=gemini&min_latency_ms=1500`,
    )
    await eventually(() => runs.rows.count()).toBe(2)
    expect(await runs.filters.chip('Provider').locator('..').innerText()).toContain('claude, gemini')
    expect(await runs.filters.chip('Minimum latency').locator('..').innerText()).toContain('1500 ms')
    await runs.filters.add('Status', 'error')
    await eventually(() => runs.ids()).toEqual([wanted])
    expect(search().getAll('status')).toEqual(['error'])
    await runs.filters.remove('Provider')
    await eventually(() => runs.rows.count()).toBe(2)
    expect(search().has('provider')).toBe(false)
    await runs.filters.clear.click()
    await eventually(() => [...search().keys()]).toEqual([])
  })

  it('search key, model and error by words, and "/" opens the search', async () => {
    const team = await workspaceWith(shared.console, 'Words', [
      { ref_key: 'support/triage' },
      { ref_key: 'greet', status: 'error', error: 'upstream timed out' },
    ])
    const [triage, timedOut] = team.ids
    const { page, runs, search } = await open(`?workspace=${team.slug}`)
    await eventually(() => runs.rows.count()).toBe(2)
    await page.keyboard.press('/')
    await page.keyboard.type('tria')
    await eventually(() => runs.ids()).toEqual([triage])
    expect(search().get('q')).toBe('tria')
    await runs.filters.text.fill('upstream')
    await eventually(() => runs.ids()).toEqual([timedOut])
  })

  it('filter by period, and explain what to do if it is empty', async () => {
    const team = await workspaceWith(shared.console, 'Last week', [
      { created_at: hoursAgo(100), ref_key: 'old' },
    ])
    const { runs, search } = await open(`?workspace=${team.slug}`)
    await runs.empty.getByText('The newest run is from 4 days ago').waitFor()
    await runs.empty.getByRole('button', { name: 'Show all time' }).click()
    await runs.row('old').waitFor()
    expect(search().get('period')).toBe('all')
    await runs.choosePeriod('Last 7 days')
    await eventually(() => search().get('period')).toBe('7d')
    await runs.row('old').waitFor()
  })

  it('page by cursor to the last run and back, each run once', async () => {
    const team = await workspaceWith(
      shared.console,
      'Pages',
      Array.from({ length: 120 }, (_, index) => ({ ref_key: `run-${index}` })),
    )
    const { runs, search } = await open(`?workspace=${team.slug}`)
    const seen: number[] = []
    for (const range of ['1–50 of 120', '51–100 of 120', '101–120 of 120']) {
      await eventually(() => runs.range.innerText()).toBe(range)
      seen.push(...(await runs.ids()))
      if (await runs.older.isEnabled()) await runs.older.click()
    }
    expect(seen).toEqual(team.ids.toReversed())
    await runs.newer.click()
    await eventually(() => runs.range.innerText()).toBe('51–100 of 120')
    await runs.newer.click()
    await eventually(() => runs.range.innerText()).toBe('1–50 of 120')
    expect(search().has('cursor')).toBe(false)
  })

  it('reverse the order by the time column', async () => {
    const team = await workspaceWith(shared.console, 'Order', [{}, {}, {}])
    const { runs, search } = await open(`?workspace=${team.slug}`)
    await eventually(() => runs.ids()).toEqual(team.ids.toReversed())
    await runs.sortBy('Time')
    await eventually(() => runs.ids()).toEqual(team.ids)
    expect(search().get('sort')).toBe('created_at')
  })

  it('show new runs immediately, but pause updates while the pointer is on a row', async () => {
    const team = await workspaceWith(shared.console, 'Burst', [{ ref_key: 'read-me' }])
    const { page, runs } = await open(`?workspace=${team.slug}`)
    await runs.row('read-me').waitFor()
    await team.report({ ref_key: 'at-once' })
    await runs.row('at-once').waitFor()
    await runs.row('read-me').hover()
    const before = await runs.ids()
    await team.report(...Array.from({ length: 12 }, () => ({})))
    await eventually(() => runs.waiting.innerText()).toBe('12 new runs')
    expect(await runs.ids()).toEqual(before)
    await runs.waiting.click()
    await eventually(() => runs.rows.count()).toBe(14)
    expect(await runs.waiting.count()).toBe(0)
    // More new ones than a page contains: only a lower bound is known.
    await runs.rows.nth(5).hover()
    await team.report(...Array.from({ length: 60 }, () => ({})))
    await eventually(() => runs.waiting.innerText()).toBe('60+ new runs')
    await page.mouse.move(700, 5)
    await eventually(() => runs.waiting.count()).toBe(0)
  })

  it('pause updates while a run is open', async () => {
    const team = await workspaceWith(shared.console, 'Held', [{ ref_key: 'one' }, { ref_key: 'two' }])
    const [one] = team.ids
    const { runs } = await open(`/${one}?workspace=${team.slug}`)
    await runs.drawer.drawer.getByText('Request ID').waitFor()
    await runs.row('two').waitFor()
    await team.report({ ref_key: 'three' })
    await eventually(() => runs.waiting.innerText()).toBe('1 new run')
    expect(await runs.row('three').count()).toBe(0)
    await runs.drawer.close()
    await runs.row('three').waitFor()
  })

  it('support the keyboard: to a failed run, its cause, the next run, and back', async () => {
    const team = await workspaceWith(shared.console, 'Keyboard', [
      { status: 'error', error: 'the model is overloaded' },
      {},
      {},
    ])
    const [failed = 0, middle = 0, newest = 0] = team.ids
    const { page, runs } = await open(`?workspace=${team.slug}`)
    await runs.rowOf(newest).waitFor()
    for (const key of ['j', 'j', 'j', 'Enter']) await page.keyboard.press(key)
    await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${failed}`)
    await runs.drawer.drawer.getByText('the model is overloaded').waitFor()
    await page.keyboard.press('ArrowUp')
    await eventually(() => new URL(page.url()).pathname).toBe(`/runs/${middle}`)
    await page.keyboard.press('Escape')
    await runs.drawer.drawer.waitFor({ state: 'detached' })
    await eventually(() =>
      page.evaluate(() => document.activeElement?.getAttribute('data-row-id') ?? null),
    ).toBe(String(failed))
  })
})
