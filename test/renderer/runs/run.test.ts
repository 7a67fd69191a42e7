import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { allowClipboard, clipboardText } from '../support/clipboard.ts'
import { eventually, patience } from '../support/console.ts'
import { withRuns } from '../support/fixtures/runs.ts'
import { hoursAgo, problem, runsPage, workspaceWith } from '../support/pages/runs.ts'
import { toast } from '../support/parts.ts'
import { changeReplies, restoreReplies } from '../support/replies.ts'
import { openPath } from '../support/warm.ts'

const { shared, open } = withRuns()

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
    const team = await workspaceWith(shared.console, name, [{ model: 'planner' }])
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

  it('shows the boxes of a task list without bullets, and a long text unchanged', async () => {
    const output =
      '- [x] Tested\n- [ ] Released\n\nLoose\n\n- [x] Tested\n\n- [ ] Released\n\nPlain\n\n- Bullet'
    const tooLong = '- Item\n'.repeat(15_000)
    const team = await workspaceWith(shared.console, 'Tasks', [{ output }, { output: tooLong }])
    const { page, runs } = await open(`/${team.ids[0]}?workspace=${team.slug}`)
    const boxes = runs.drawer.drawer.getByRole('checkbox')
    await eventually(() => boxes.evaluateAll((all) => all.map((box) => box.matches(':checked')))).toEqual([
      ...[true, false],
      ...[true, false],
    ])
    const styles = () =>
      runs.drawer.drawer
        .getByRole('listitem')
        .evaluateAll((all) => all.map((item) => getComputedStyle(item).listStyleType))
    expect(await styles()).toEqual(['none', 'none', 'none', 'none', 'disc'])
    expect(await axeFaults(page, '[data-testid="drawer"]')).toEqual([])
    // Formatting it would block the page.
    await openPath(page, `/runs/${team.ids[1]}?workspace=${team.slug}`)
    await runs.drawer.drawer.getByText('too long to be formatted').waitFor()
    expect(await runs.drawer.drawer.locator('pre').textContent()).toBe(tooLong)
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
    await runs.fact('Parent run').getByRole('button', { name: 'Copy Parent run' }).click()
    await eventually(clipboard).toBe(team.parent)
    await runs.drawer.action('Copy Error').click()
    await eventually(clipboard).toBe(chat.error)
    await runs.drawer.action('Copy as JSON').click()
    await eventually(async () => JSON.parse(await clipboard()).output).toBe(chat.output)
    // As on a page loaded over plain HTTP.
    await page.evaluate(() => Reflect.deleteProperty(Navigator.prototype, 'clipboard'))
    await runs.drawer.action('Copy Error').click()
    await eventually(clipboard).toBe(chat.error)
    await page.evaluate(() => Object.assign(document, { execCommand: () => false }))
    await runs.drawer.action('Copy as JSON').click()
    await toast(page, 'Not copied: the browser does not allow it.').waitFor()
  })

  it('that does not exist is reported beside the list', async () => {
    const team = await workspaceWith(shared.console, 'Missing', [{ ref_key: 'here' }])
    const { runs } = await open(`/999999?workspace=${team.slug}`)
    await runs.drawer.drawer.getByTestId('error').getByText('Run 999999 not found.').waitFor()
    await runs.row('here').waitFor()
  })

  it('is exported with all filtered runs, as CSV and as JSON Lines', async () => {
    const team = await workspaceWith(shared.console, 'Export', [
      { model: 'wanted' },
      { model: 'other' },
      { model: 'wanted', created_at: hoursAgo(48) },
    ])
    const { page, runs } = await open(`?workspace=${team.slug}&model=wanted`)
    await eventually(() => runs.rows.count()).toBe(1)
    for (const [label, ending] of [
      ['CSV', 'csv'],
      ['JSON Lines', 'jsonl'],
    ] as const) {
      const [download] = await Promise.all([page.waitForEvent('download'), runs.export(label)])
      expect(download.suggestedFilename()).toMatch(new RegExp(`^runs.*\\.${ending}$`))
      const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
      if (ending === 'csv') expect(lines.shift()).toContain('id,source,ref_key')
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain(String(team.ids[0]))
    }
  })

  it('shows at the button why an export failed, and retries', async () => {
    const team = await workspaceWith(shared.console, 'Export fails', [{}])
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
    const team = await workspaceWith(shared.console, 'Trouble', [{}])
    const { page, runs } = await open('?cursor=nonsense')
    await runs.failure.getByText('Not a valid cursor').waitFor()
    await changeReplies(page, '**/api/runs?*', (reply) => ({ ...reply, total: 10_000, total_capped: true }))
    await runs.goto(`?workspace=${team.slug}`)
    await eventually(() => runs.count.innerText()).toBe('10,000+')
    await restoreReplies(page)
  })

  it('shows its status in the list at 900 px, and passes axe there', async () => {
    const team = await childrenIn('Axe', [{ ...chat, client_run_id: null }])
    const { page, close } = await shared.console.visit(shared.token, { width: 900 })
    const runs = runsPage(page)
    await runs.goto(`?workspace=${team.slug}&status=error`)
    await runs.row('support/answer').waitFor()
    // A failed status is visible without horizontal scrolling.
    expect(await runs.row('support/answer').getByText('error').isVisible()).toBe(true)
    const box = await runs.row('support/answer').getByText('error').boundingBox()
    expect((box?.x ?? 900) + (box?.width ?? 0)).toBeLessThan(880)
    await runs.open('support/answer')
    await runs.drawer.drawer.getByText('Request ID').waitFor()
    await page.mouse.move(0, 0)
    await page.getByRole('tooltip').waitFor({ state: 'hidden' })
    expect(await axeFaults(page)).toEqual([])
    await close()
  })
})

describe('The search in inputs and outputs', { timeout: patience }, () => {
  it('finds a complaint by its text, shows where it matches, and explains why a run has no text', async () => {
    await shared.console.server.call('PATCH /api/settings', { body: { capture: 'full' } })
    const team = await workspaceWith(shared.console, 'Complaints', [
      { input: 'The parcel for order 4711 arrived broken', output: 'We are sorry.', ref_key: 'answer' },
      { input: 'The parcel arrived', output: 'Good.', ref_key: 'answer' },
      { ref_key: 'silent' },
    ])
    const [broken, arrived, silent] = team.ids
    await shared.console.server.call('PATCH /api/settings', { body: { capture: 'off' } })
    const { page, runs } = await open(`?workspace=${team.slug}`)
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
    expect(await axeFaults(page, 'main')).toEqual([])
    await page.reload()
    await eventually(() => runs.ids()).toEqual([broken])

    await search.fill('nowhere')
    await runs.empty.getByText('Capture is off').waitFor()
    await runs.empty.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(() => search.inputValue()).toBe('')
    await eventually(() => runs.rows.count()).toBe(3)
    await runs.rowOf(silent ?? 0).click()
    await runs.drawer.drawer.getByText('did not send its input and output').waitFor()
  })
})
