import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withAudit } from '../support/fixtures/audit.ts'
import { problem } from '../support/pages/runs.ts'
import { restoreReplies } from '../support/replies.ts'
import { expectNoDialog } from '../support/shell.ts'

describe('Audit', { timeout: patience }, () => {
  const { shared, call, open, addUser, newest, reportChain } = withAudit()

  it('describes each entry in one sentence', async () => {
    const edda = await addUser('edda')
    await call(`PATCH /api/users/${edda}`, { role: 'editor' })
    await call(`PATCH /api/users/${edda}`, { role: 'viewer', disabled: true })
    await call(`PATCH /api/users/${edda}`, { disabled: false })
    await call(`PATCH /api/users/${edda}`, { password: 'another phrase nobody guesses' })
    await shared.console.server.call('POST /api/login', {
      token: null,
      body: { username: 'edda', password: 'no' },
    })
    await call('POST /api/workspaces', { name: 'Team Green' })
    await call('DELETE /api/workspaces/team-green')
    const { page, audit, close } = await open()
    await audit.row('team-green').first().waitFor()
    expect((await audit.sentences()).slice(0, 8)).toEqual([
      'admin deleted the workspace team-green',
      'admin created the workspace team-green',
      'anonymous failed to sign in as edda',
      'admin reset the password of edda',
      'admin changed the user edda Enabled edda',
      'admin changed the role of edda from editor to viewer disabled edda',
      'admin changed the role of edda from viewer to editor',
      'admin added the user edda as viewer',
    ])
    expect(await page.title()).toBe('Audit · Promptdeck')
    await close()
  })

  it('shows a change immediately, and pauses updates while an entry is read', async () => {
    await addUser('before-live')
    const { audit, close } = await open()
    await audit.row('before-live').waitFor()
    await addUser('first-live')
    await audit.row('first-live').waitFor()
    await audit.open('first-live')
    await audit.diff.waitFor()
    await addUser('second-live')
    await addUser('third-live')
    await eventually(() => audit.waiting.innerText()).toBe('2 new entries')
    expect(await audit.row('third-live').count()).toBe(0)
    await audit.waiting.click()
    await audit.row('third-live').waitFor()
    await audit.row('second-live').waitFor()
    await close()
  })

  it('keeps its filters in the address, as removable chips', async () => {
    const id = await addUser('filtered')
    await call(`PATCH /api/users/${id}`, { role: 'editor' })
    const { page, audit, search, close } = await open(
      '?actor=admin&action=role_change&action=create&resource=user&key=filtered&period=1h',
    )
    await audit.row('filtered').first().waitFor()
    expect(await audit.ids()).toHaveLength(2)
    expect(await audit.filters.chip('Action').locator('..').innerText()).toMatch(/role change, create/)
    await audit.filters.remove('Action')
    await eventually(() => search().getAll('action')).toEqual([])
    await audit.filters.add('Action', 'role change')
    await eventually(() => search().get('action')).toBe('role_change')
    await eventually(() => audit.ids()).toHaveLength(1)
    await page.reload()
    await eventually(() => audit.ids()).toHaveLength(1)
    await audit.filters.clear.click()
    await eventually(() => [...search().keys()]).toEqual(['period'])
    await close()
  })

  it('finds words, and reports if nothing matches', async () => {
    await addUser('needle-in-the-log')
    const { page, audit, search, close } = await open()
    await audit.rows.first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('needle')
    await eventually(() => search().get('q')).toBe('needle')
    await eventually(() => audit.sentences()).toEqual([expect.stringContaining('needle-in-the-log')])
    await audit.filters.text.fill('nothing has this word')
    await audit.empty.getByText('No entries match').waitFor()
    await audit.empty.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(() => search().get('q')).toBe(null)
    await audit.row('needle').waitFor()
    await close()
  })

  it('follows the workspace chosen in the header', async () => {
    await call('POST /api/workspaces', { name: 'Team Narrow' })
    await call('PATCH /api/workspaces/team-narrow', { description: 'changed' })
    const { page, audit, close } = await open()
    await audit.row('team-narrow').first().waitFor()
    await page.getByRole('button', { name: /^Workspace:/ }).click()
    await page.getByRole('menuitem', { name: 'Team Narrow' }).click()
    await eventually(() => audit.ids()).toHaveLength(2)
    await audit.filters.chip('Workspace').waitFor()
    await close()
  })

  it('pages by cursor, so that new entries shift nothing', async () => {
    for (let index = 0; index < 55; index += 1) await addUser(`many-${index}`)
    const { audit, close } = await open('?action=create&resource=user')
    await eventually(() => audit.range.innerText()).toMatch(/^1–50 of \d+$/)
    await audit.older.click()
    await eventually(() => audit.range.innerText()).toMatch(/^51–/)
    const before = await audit.ids()
    await addUser('meanwhile')
    await eventually(() => audit.count.innerText()).toBe(String(50 + before.length + 1))
    expect(await audit.ids()).toEqual(before)
    await audit.newer.click()
    await audit.row('meanwhile').waitFor()
    expect(await audit.ids()).not.toContain(before[0])
    await close()
  })

  it('verifies the chain, and names a broken entry and entries that cannot be verified', async () => {
    const { page, audit, close } = await open('?action=create')
    await eventually(() => audit.chain.innerText()).toMatch(/^Chain verified /)
    await audit.verify.click()
    await audit.report.getByText('The log is intact').waitFor()
    const head = await newest('')
    await audit.report.getByText(head.hash).waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await page.keyboard.press('Escape')
    await audit.report.waitFor({ state: 'detached' })
    await eventually(() => audit.chain.innerText()).toMatch(/^Chain verified just now/)

    const state = { ok: false, status: 'unverifiable', unverifiable_before: 5 }
    const reason = 'Entries 1 to 4 were signed with another key'
    const report = { ...state, entries: 9, head: null, first_broken_id: null, reason }
    await reportChain(page, report, state)
    await audit.verify.click()
    await audit.report.getByText('Part of the log cannot be verified').waitFor()
    await audit.report.getByText(reason).waitFor()
    await audit.report.getByText('Cannot be verified before entry').waitFor()
    expect(await audit.report.getByText('The log is intact').count()).toBe(0)
    await eventually(() => audit.chain.innerText()).toBe('Chain cannot be verified before entry 5')
    await page.keyboard.press('Escape')
    await audit.report.waitFor({ state: 'detached' })
    await restoreReplies(page)

    const found = {
      ok: false,
      status: 'broken',
      entries: 9,
      head: null,
      first_broken_id: 2,
      unverifiable_before: null,
      reason: 'Entry 2 was changed',
    }
    await reportChain(page, found, { ok: false, status: 'broken' })
    await audit.verify.click()
    await audit.report.getByText('The log was altered').waitFor()
    await audit.report.getByText('Entry 2 was changed').waitFor()
    await eventually(() => audit.chain.innerText()).toBe('Chain broken')
    await audit.report.getByRole('link', { name: 'Open entry 2' }).click()
    await eventually(() => audit.fact('Entry').innerText()).toBe('2')
    await audit.fact('Previous hash').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })

  it('explains to a viewer why only admins can verify, and exports the shown entries', async () => {
    await addUser('exported')
    const viewer = await shared.console.server.signedIn('viewer')
    const { page, audit, close } = await open('?key=exported', viewer.token)
    await audit.row('exported').waitFor()
    await audit.verify.hover()
    await page.getByRole('tooltip', { name: 'Requires the role Admin; yours is Viewer.' }).waitFor()
    await audit.verify.click({ force: true })
    await expectNoDialog(page)
    await page.keyboard.press('Escape')
    for (const [format, ending] of [
      ['CSV', 'csv'],
      ['JSON Lines', 'jsonl'],
    ] as const) {
      const saving = page.waitForEvent('download')
      await audit.export(format)
      const file = await saving
      expect(file.suggestedFilename()).toMatch(new RegExp(`^audit-.*\\.${ending}$`))
      const text = await readFile(await file.path(), 'utf8')
      expect(text).toContain('Added the user exported as viewer')
      expect(text).not.toContain('needle-in-the-log')
    }
    expect(await newest('action=export')).toMatchObject({ actor: viewer.username, resource: 'audit' })
    // Users are visible to admins only, so an entry about one has no link.
    await audit.open('exported')
    await audit.diff.waitFor()
    expect(await audit.link('Open user').count()).toBe(0)
    await close()
  })

  it('shows an error in place of the rows, with the request, and retries', async () => {
    const { page, audit, close } = await open('?q=whatever')
    await page.route('**/api/audit?**', (route) =>
      route.fulfill(problem(400, 'request.malformed', 'Malformed request', 'request-77')),
    )
    await audit.goto()
    await audit.failure.getByText('request-77').waitFor()
    await page.unroute('**/api/audit?**')
    await audit.failure.getByRole('button', { name: 'Retry' }).click()
    await audit.rows.first().waitFor()
    await audit.goto('/999999999')
    await audit.drawer.drawer.getByText('Audit entry 999999999 not found.').waitFor()
    await close()
  })

  it('displays long, foreign and hostile names in a narrow window', async () => {
    const names = [`${'long-'.repeat(12)}end`, 'علي بن محمد', '🚀🚀 crew', '<b>bold</b> & "quotes"']
    for (const name of names) await addUser(name)
    const { page, audit, close } = await open('?action=create&resource=user', undefined, { width: 900 })
    for (const name of names) await audit.row(name).waitFor()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    const box = await audit.table.boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(900)
    await close()
  })
})
