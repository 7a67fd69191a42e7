import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { eventually, patience } from '../support/console.ts'
import { auditPage } from '../support/pages/audit.ts'
import { clientsPage, connectApp } from '../support/pages/clients.ts'
import { workspaceWith } from '../support/pages/runs.ts'
import { usersPage } from '../support/pages/users.ts'
import { toast } from '../support/parts.ts'
import { withTables } from '../support/tables.ts'

const tables = withTables()

describe('Selecting', { timeout: patience }, () => {
  it('works by keyboard, in ranges, and pauses updates', async () => {
    const team = await workspaceWith(tables.console, 'Select', [{}, {}, {}, {}, {}])
    const ids = team.ids.toReversed()
    const { page, runs } = await tables.runsAt(`?workspace=${team.slug}`)
    await eventually(() => runs.ids()).toEqual(ids)
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await runs.bulk.bar.getByText('1 selected').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+X')
    await runs.bulk.bar.getByText('3 selected').waitFor()
    await page.keyboard.press('Space')
    await runs.bulk.bar.getByText('2 selected').waitFor()
    await team.report({}, {})
    await eventually(() => runs.waiting.innerText()).toBe('2 new runs')
    expect(await runs.ids()).toEqual(ids)
    await page.keyboard.press('Escape')
    await runs.bulk.bar.waitFor({ state: 'detached' })
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
    await eventually(() => runs.rows.count()).toBe(7)
    await team.report(...Array(9).fill({}))
    await eventually(() => runs.rows.count()).toBe(16)
    await page.setViewportSize({ width: 1440, height: 400 })
    for (const key of `${'j'.repeat(16)}${'k'.repeat(12)}`) await page.keyboard.press(key)
    const [head, row] = [runs.table.locator('th').first(), page.locator('tr:focus')]
    const bottom = await head.evaluate((cell) => cell.getBoundingClientRect().bottom)
    expect((await row.boundingBox())?.y).toBeGreaterThanOrEqual(bottom)
    await page.keyboard.press('x')
    await page.emulateMedia({ forcedColors: 'active' })
    expect(await row.evaluate((part) => getComputedStyle(part).outlineStyle)).toBe('solid')
  })

  it('keeps every row in place while thousands of runs arrive, and counts them', async () => {
    const team = await workspaceWith(
      tables.console,
      'Flood',
      Array.from({ length: 6 }, (_, index) => ({ ref_key: `read/${index}` })),
    )
    const ids = team.ids.toReversed()
    const { page, runs } = await tables.runsAt(`?workspace=${team.slug}&period=all`)
    await eventually(() => runs.ids()).toEqual(ids)
    await runs.check(`Run ${ids[3]}`).click()
    await page.keyboard.press('Escape')
    await runs.check(`Run ${ids[4]}`).click()
    // Every displayed state is recorded, not only those at the times of checks.
    await page.evaluate(() => {
      const seen = new Set<string>()
      const record = () =>
        seen.add(
          [...document.querySelectorAll('tr[data-row-id]')]
            .map((row) => row.getAttribute('data-row-id'))
            .join(),
        )
      record()
      new MutationObserver(record).observe(document.body, { childList: true, subtree: true })
      Object.assign(window, { seenLists: seen })
    })
    const batch = Array.from({ length: 500 }, (_, index) => ({ ref_key: `flood/${index % 9}` }))
    const counts: number[] = []
    for (let sent = 0; sent < 2000; sent += batch.length) {
      await team.report(...batch)
      // Counted before the next thousand, so that the list follows continuously.
      if (sent % 1000 !== 500) continue
      await eventually(async () =>
        Number((await runs.waiting.innerText()).replaceAll(/[^\d]/g, '')),
      ).toBeGreaterThanOrEqual(sent + batch.length)
      counts.push(Number((await runs.waiting.innerText()).replaceAll(/[^\d]/g, '')))
    }
    expect(counts).toEqual([1000, 2000])
    expect(await page.evaluate(() => [...(Reflect.get(window, 'seenLists') as Set<string>)])).toEqual([
      ids.join(),
    ])
    await runs.waiting.click()
    await eventually(async () => (await runs.ids()).some((id) => ids.includes(id))).toBe(false)
  })

  it('selects a range with Shift and click, and a whole page', async () => {
    const team = await workspaceWith(tables.console, 'Ranges', [{}, {}, {}, {}])
    const [first = 0, , third = 0] = team.ids
    const { page, runs } = await tables.runsAt(`?workspace=${team.slug}`)
    await runs.check(`Run ${first}`).click()
    await runs.check(`Run ${third}`).click({ modifiers: ['Shift'] })
    expect(await runs.chosen.count()).toBe(3)
    await runs.bulk.action('Copy IDs').click()
    await toast(page, '3 copied').waitFor()
    expect((await tables.clipboard()).split('\n').map(Number)).toEqual(team.ids.slice(0, 3).toReversed())
    await runs.checkAll.click()
    await runs.bulk.bar.getByText('4 selected').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      runs.bulk.action('Download as CSV').click(),
    ])
    const saved = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    const reply = await tables.console.server.call(`GET /api/runs/export?workspace=${team.slug}&format=csv`)
    expect(saved.toSorted()).toEqual(reply.text.trim().split('\r\n').toSorted())
    await runs.checkAll.click()
    await runs.bulk.bar.waitFor({ state: 'detached' })
  })

  it('disables several users, except the last admin, and reports each', async () => {
    const people = [
      await tables.console.server.signedIn('viewer', 'bulk-one'),
      await tables.console.server.signedIn('admin', 'bulk-two'),
    ]
    const { page } = tables.visit
    const users = usersPage(page)
    await users.goto()
    for (const name of ['admin', 'bulk-one', 'bulk-two']) await users.check(name).click()
    await users.bulk.action('Disable').click()
    await users.dialog.dialog.getByText('Your own account is included').waitFor()
    await users.dialog.button('Disable').click()
    await users.dialog.dialog.getByText('2 of 3 completed, 1 failed').waitFor()
    const lines = await users.dialog.dialog.getByRole('listitem').allInnerTexts()
    expect(lines.map((line) => line.replace(/\s+/g, ' '))).toEqual([
      'bulk-one Done',
      'bulk-two Done',
      expect.stringMatching(/^admin .*last active admin/i),
    ])
    await users.dialog.button('Close').last().click()
    await users.bulk.bar.getByText('1 selected').waitFor()
    expect(await users.check('admin').isChecked()).toBe(true)
    await users.check('admin').click()
    await users.row('bulk-two').getByText('Disabled').waitFor()
    for (const { id } of people) {
      expect((await tables.console.server.call(`GET /api/users/${id}`)).body.data.disabled).toBe(true)
    }
    for (const name of ['bulk-one', 'bulk-two']) await users.check(name).click()
    await users.bulk.action('Delete').click()
    await users.dialog.button('Delete').click({ force: true })
    await users.dialog.field(/to confirm$/).fill('delete 2')
    await page.keyboard.press('Enter')
    await toast(page, '2 users deleted').waitFor()
    await users.row('bulk-one').waitFor({ state: 'detached' })
  })

  it('keeps the results when the users have left the list, and names those not reached', async () => {
    const { server } = tables.console
    const gone = await server.signedIn('viewer', 'left-a')
    await server.signedIn('viewer', 'left-b')
    const { page } = tables.visit
    const users = usersPage(page)
    await users.goto()
    for (const name of ['left-a', 'left-b']) await users.check(name).click()
    const results = () => users.dialog.dialog.getByRole('listitem').allTextContents()
    const keys: (string | undefined)[] = []
    await page.route('**/revoke-sessions', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      await (keys.length === 1 ? route.abort() : route.fulfill({ status: 502 }))
    })
    await users.bulk.action('End sessions').click()
    for (const action of ['End sessions', 'Retry remaining']) {
      await users.dialog.button(action).click()
      await users.dialog.dialog.getByText('0 of 2 completed, 1 failed').waitFor()
      expect((await results())[1]).toBe('left-bNot started')
    }
    expect(new Set(keys).size).toBe(1)
    await users.dialog.button('Close').last().click()
    await users.bulk.action('Delete').click()
    await users.dialog.field(/to confirm$/).fill('delete 2')
    await server.call(`DELETE /api/users/${gone.id}`)
    await page.keyboard.press('Enter')
    await users.dialog.dialog.getByText('1 of 2 completed, 1 failed').waitFor()
    expect((await results())[1]).toBe('left-bDone')
    await users.dialog.button('Close').last().click()
    await users.row('left-b').waitFor({ state: 'detached' })
  })

  it('disconnects several clients', async () => {
    const apps = [
      await connectApp(tables.console.server, 'one'),
      await connectApp(tables.console.server, 'two'),
    ]
    const { page } = tables.visit
    const clients = clientsPage(page)
    await clients.goto()
    for (const app of ['one', 'two']) await clients.check(app).click()
    await clients.bulk.action('Disconnect').click()
    await clients.dialog.button('Disconnect').click()
    expect(await Promise.all(apps.map((app) => app.closed))).toEqual([4403, 4403])
    await toast(page, '2 clients disconnected').waitFor()
    await eventually(() => clients.apps()).toEqual([])
  })

  it('copies entries of the audit log', async () => {
    const { page } = tables.visit
    const audit = auditPage(page)
    await audit.goto('?action=login')
    await audit.rows.first().waitFor()
    await audit.checkAll.click()
    const count = await audit.chosen.count()
    await audit.bulk.action('Copy as JSON Lines').click()
    await toast(page, `${count} copied`).waitFor()
    const copied = (await tables.clipboard()).trim().split('\n')
    expect(copied.map((line) => JSON.parse(line).action)).toEqual(Array(count).fill('login'))
  })
})
