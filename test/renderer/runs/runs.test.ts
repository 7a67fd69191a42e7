import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Visit } from '../../support/browser.ts'
import { axeFaults } from '../support/axe.ts'
import { allowClipboard, clipboardText } from '../support/clipboard.ts'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { hoursAgo, problem, runsPage, workspaceWith } from '../support/pages/runs.ts'
import { changeReplies, restoreReplies } from '../support/replies.ts'

let console: Console
let viewer: string
let visit: Visit

/** One browser profile for all tests; each reloads the page, with the pointer outside. */
const open = async (path: string) => {
  const { page } = visit
  await page.mouse.move(0, 0)
  const runs = runsPage(page)
  await runs.goto(path)
  return { page, runs, search: () => new URL(page.url()).searchParams }
}
beforeAll(async () => {
  console = await openConsole()
  // The role viewer is sufficient to read and report runs.
  viewer = (await console.server.signedIn('viewer')).token
  visit = await console.visitForFile(viewer)
  await console.server.client().settings.update({ body: { capture: 'full' } })
})
afterEach(() => expect(visit.faults).toEqual([]))
afterAll(() => console.close())

describe('Runs', { timeout: patience }, () => {
  it('explain how to report the first one, with this address, and show it automatically', async () => {
    const team = await workspaceWith(console, 'Nothing yet', [])
    const { page, runs } = await open(`?workspace=${team.slug}`)
    await runs.empty.getByText('No runs yet').waitFor()
    const command = await runs.empty.getByRole('region').innerText()
    expect(command).toContain(`curl ${console.server.url}/api/runs`)
    expect(command).toContain(`"workspace_id": "${team.slug}"`)
    await team.report({ ref_key: 'first/of-all' })
    await runs.row('first/of-all').waitFor()
    expect(await runs.count.innerText()).toBe('1')
    expect(await page.title()).toBe('Runs · Promptdeck')
  })

  it('list the newest first; an estimate is marked and an unknown cost is a dash, not 0', async () => {
    const team = await workspaceWith(console, 'Figures', [
      {
        prompt_tokens: 812,
        output_tokens: 64,
        tokens_estimated: true,
        model: 'unheard-of',
        latency_ms: 1240,
      },
      { prompt_tokens: 1000, output_tokens: 0, tokens_estimated: false, cost_usd: 0.0042, latency_ms: 840 },
      { provider: 'ollama', model: 'llama3', status: 'error', error: 'out of memory' },
    ])
    const [estimated = 0, priced = 0, failed = 0] = team.ids
    const { runs } = await open(`?workspace=${team.slug}`)
    await runs.rowOf(failed).waitFor()
    expect(await runs.ids()).toEqual([failed, priced, estimated])
    expect(await runs.cell(estimated, 5)).toBe('~812')
    expect(await runs.cell(estimated, 7)).toBe('1.2 s')
    expect(await runs.cell(estimated, 9)).toBe('—')
    expect(await runs.cell(priced, 5)).toBe('1,000')
    expect(await runs.cell(priced, 7)).toBe('840 ms')
    expect(await runs.cell(priced, 9)).toBe('$0.0042')
    expect(await runs.cell(failed, 8)).toBe('error')
  })

  it('keep every filter in the address, as a removable chip', async () => {
    const team = await workspaceWith(console, 'Filters', [
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
    const team = await workspaceWith(console, 'Words', [
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
    const team = await workspaceWith(console, 'Last week', [{ created_at: hoursAgo(100), ref_key: 'old' }])
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
      console,
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
    const team = await workspaceWith(console, 'Order', [{}, {}, {}])
    const { runs, search } = await open(`?workspace=${team.slug}`)
    await eventually(() => runs.ids()).toEqual(team.ids.toReversed())
    await runs.sortBy('Time')
    await eventually(() => runs.ids()).toEqual(team.ids)
    expect(search().get('sort')).toBe('created_at')
  })

  it('show new runs immediately, but pause updates while the pointer is on a row', async () => {
    const team = await workspaceWith(console, 'Burst', [{ ref_key: 'read-me' }])
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
    const team = await workspaceWith(console, 'Held', [{ ref_key: 'one' }, { ref_key: 'two' }])
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
    const team = await workspaceWith(console, 'Keyboard', [
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

describe('A run', { timeout: patience }, () => {
  const chat = {
    status: 'error' as const,
    error: 'context_length_exceeded: 131044 tokens',
    ref_key: 'support/answer',
    version: 'v7',
    prompt_tokens: 900,
    output_tokens: 100,
    ttft_ms: 310,
    cost_usd: 0.012,
    finish_reason: 'length',
    client_run_id: 'job-17',
    params: { temperature: 0.2 },
    input: [
      { role: 'system', content: 'Answer in one sentence.' },
      { role: 'user', content: 'Where is my invoice? 📄 مرحبا' },
    ],
    output: 'Under <b>Billing</b>',
  }

  /** Creates a workspace with a run, and runs with it as parent. */
  const childrenIn = async (name: string, children: Parameters<typeof workspaceWith>[2]) => {
    const team = await workspaceWith(console, name, [{ model: 'planner' }])
    const parent = String(team.ids[0])
    const ids = await team.report(...children.map((child) => ({ ...child, parent_id: parent })))
    return { ...team, parent, ids }
  }

  it('has its own address and shows everything, its content first', async () => {
    const team = await childrenIn('Everything', [chat])
    const { runs } = await open(`/${team.ids[0]}?workspace=${team.slug}`)
    const { drawer } = runs.drawer
    await eventually(() => drawer.locator('section h2').allInnerTexts()).toEqual([
      'Input',
      'Output',
      'Error',
      'Parameters',
      'Related',
    ])
    await drawer.getByRole('region', { name: 'Error' }).getByText(chat.error).waitFor()
    await drawer
      .getByRole('region', { name: 'Input, user' })
      .getByText('Where is my invoice? 📄 مرحبا')
      .waitFor()
    // Markup in a model's output is displayed as text.
    await drawer.getByText('Under <b>Billing</b>', { exact: true }).waitFor()
    const expected: readonly (readonly [string, string])[] = [
      ['Key', 'support/answer'],
      ['Version', 'v7'],
      ['Source', 'sdk'],
      ['Workspace', 'Everything'],
      ['User', 'service-token'],
      ['Parent run', team.parent],
      ['Finish reason', 'length'],
      ['Client run ID', 'job-17'],
      ['Origin', 'Reported by an app'],
      ['First token', '310 ms'],
      ['Total tokens', '1,000'],
      ['Cost', '$0.012'],
    ]
    for (const [label, value] of expected) expect(await runs.fact(label).innerText()).toContain(value)
    expect(await runs.fact('Request ID').innerText()).toMatch(/\S{8,}/)
  })

  it('shows the boxes of a task list', async () => {
    const team = await workspaceWith(console, 'Tasks', [{ output: '- [x] Tested\n- [ ] Released' }])
    const { page, runs } = await open(`/${team.ids[0]}?workspace=${team.slug}`)
    const boxes = runs.drawer.drawer.getByRole('checkbox')
    await eventually(() => boxes.evaluateAll((all) => all.map((box) => box.matches(':checked')))).toEqual([
      true,
      false,
    ])
    expect(await axeFaults(page)).toEqual([])
  })

  it('filters the list by one of its values, and by its execution', async () => {
    const team = await childrenIn('Narrow', [{ model: 'sonnet' }, { model: 'haiku' }])
    const [sonnet = 0, haiku = 0] = team.ids
    const [alone = 0] = await team.report({ model: 'haiku' })
    const { runs, search } = await open(`/${haiku}?workspace=${team.slug}`)
    await runs.drawer.drawer.getByRole('button', { name: 'Filter by Model: haiku' }).click()
    await eventually(() => runs.ids()).toEqual([alone, haiku])
    expect(search().get('model')).toBe('haiku')
    await runs.drawer.drawer.getByRole('link', { name: 'Show runs of this execution' }).click()
    await eventually(() => runs.ids()).toEqual([sonnet, haiku])
  })

  it('copies its most useful values', async () => {
    const team = await childrenIn('Copy', [{ ...chat, client_run_id: 'job-18' }])
    const { page, runs } = await open(`/${team.ids[0]}?workspace=${team.slug}`)
    await allowClipboard(page)
    const clipboard = (): Promise<string> => clipboardText(page)
    await runs.fact('Parent run').getByRole('button', { name: 'Copy', exact: true }).click()
    await eventually(clipboard).toBe(team.parent)
    await runs.drawer.action('Copy Error').click()
    await eventually(clipboard).toBe(chat.error)
    await runs.drawer.action('Copy as JSON').click()
    await eventually(async () => JSON.parse(await clipboard()).output).toBe(chat.output)
  })

  it('that does not exist is reported beside the list', async () => {
    const team = await workspaceWith(console, 'Missing', [{ ref_key: 'here' }])
    const { runs } = await open(`/999999?workspace=${team.slug}`)
    await runs.drawer.drawer.getByTestId('error').getByText('Run 999999 not found.').waitFor()
    await runs.row('here').waitFor()
  })

  it.each([
    ['CSV', 'csv'],
    ['JSON Lines', 'jsonl'],
  ] as const)('is exported with all filtered runs, as %s', async (label, ending) => {
    const team = await workspaceWith(console, `Export ${label}`, [
      { model: 'wanted' },
      { model: 'other' },
      { model: 'wanted', created_at: hoursAgo(48) },
    ])
    const { page, runs } = await open(`?workspace=${team.slug}&model=wanted`)
    await eventually(() => runs.rows.count()).toBe(1)
    const [download] = await Promise.all([page.waitForEvent('download'), runs.export(label)])
    expect(download.suggestedFilename()).toMatch(new RegExp(`^runs.*\\.${ending}$`))
    const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
    if (ending === 'csv') expect(lines.shift()).toContain('id,source,ref_key')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(String(team.ids[0]))
  })

  it('shows at the button why an export failed, and retries', async () => {
    const team = await workspaceWith(console, 'Export fails', [{}])
    const { page, runs } = await open(`?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    await page.route('**/api/runs/export?*', (route) =>
      route.fulfill(problem(503, 'store.unavailable', 'The store is not available')),
    )
    await runs.export('CSV')
    await runs.failure.getByText('request-1').waitFor()
    await page.unroute('**/api/runs/export?*')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      runs.failure.getByRole('button', { name: 'Retry' }).click(),
    ])
    expect(await download.failure()).toBeNull()
    await runs.failure.waitFor({ state: 'detached' })
  })

  it('and its list show errors in place of the rows; more than 10,000 are not counted exactly', async () => {
    const team = await workspaceWith(console, 'Trouble', [{}])
    const { page, runs } = await open('?cursor=nonsense')
    await runs.failure.getByText('Not a valid cursor').waitFor()
    await changeReplies(page, '**/api/runs?*', (reply) => ({ ...reply, total: 10_000, total_capped: true }))
    await runs.goto(`?workspace=${team.slug}`)
    await eventually(() => runs.count.innerText()).toBe('10,000+')
    await restoreReplies(page)
  })

  it('and its list pass axe, also at 900 px', async () => {
    const team = await childrenIn('Axe', [{ ...chat, client_run_id: null }])
    const { page, close } = await console.visit(viewer, { width: 900 })
    const runs = runsPage(page)
    await runs.goto(`?workspace=${team.slug}&status=error`)
    await runs.row('support/answer').waitFor()
    // A failed status is visible without horizontal scrolling.
    expect(await runs.row('support/answer').getByText('error').isVisible()).toBe(true)
    const box = await runs.row('support/answer').getByText('error').boundingBox()
    expect((box?.x ?? 900) + (box?.width ?? 0)).toBeLessThan(880)
    expect(await axeFaults(page)).toEqual([])
    await runs.open('support/answer')
    await runs.drawer.drawer.getByText('Request ID').waitFor()
    await page.mouse.move(0, 0)
    await page.getByRole('tooltip').waitFor({ state: 'hidden' })
    expect(await axeFaults(page)).toEqual([])
    await close()
  })
})
