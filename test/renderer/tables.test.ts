import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Visit } from '../support/browser.ts'
import { auditPage } from './support/audit.ts'
import { axeFaults } from './support/axe.ts'
import { clientsPage, connectApp } from './support/clients.ts'
import { type Console, eventually, openConsole, patience } from './support/console.ts'
import { keyListPart, toast } from './support/parts.ts'
import { hoursAgo, problem, runsPage, workspaceWith } from './support/runs.ts'
import { shell } from './support/shell.ts'
import { usersPage } from './support/users.ts'

let console: Console
let admin: string
let visit: Visit

const runsAt = async (path: string) => {
  const { page } = visit
  await page.mouse.move(0, 0)
  const runs = runsPage(page)
  await runs.goto(path)
  return { page, runs, search: () => new URL(page.url()).searchParams }
}
const clipboard = (): Promise<string> => visit.page.evaluate(() => navigator.clipboard.readText())

beforeAll(async () => {
  console = await openConsole()
  admin = await console.server.login('admin', 'admin')
  visit = await console.visit(admin)
  await visit.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
})
afterEach(async () => {
  expect(visit.faults).toEqual([])
  await visit.page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (/columns|density/.test(key)) localStorage.removeItem(key)
  })
})
afterAll(() => console.close())

describe('A table', { timeout: patience }, () => {
  it('keeps the width of a column that was drawn or moved by keyboard, until it is reset', async () => {
    const team = await workspaceWith(console, 'Widths', [{ ref_key: 'a/rather-long-key' }])
    const { page, runs } = await runsAt(`?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    const asDesigned = await runs.widthOf('Source')
    const others = await runs.widthOf('Latency')
    const box = await runs.edge('Source').boundingBox()
    if (box === null) throw new Error('no edge')
    await page.mouse.move(box.x + box.width / 2, box.y + 8)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2 + 40, box.y + 8)
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + 8)
    await page.mouse.up()
    await eventually(() => runs.widthOf('Source')).toBe(asDesigned + 60)
    expect(await runs.widthOf('Latency')).toBe(others)
    await runs.edge('Source').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Shift+ArrowRight')
    await eventually(() => runs.widthOf('Source')).toBe(asDesigned + 60 - 8 + 40)
    await page.reload()
    await runs.rows.first().waitFor()
    await eventually(() => runs.widthOf('Source')).toBe(asDesigned + 92)
    expect(await runs.edge('Source').getAttribute('aria-valuenow')).toBe(String(asDesigned + 92))
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset columns' }).click()
    await eventually(() => runs.widthOf('Source')).toBe(asDesigned)
  })

  it('has rows of 36 or 30 pixels, in every table of a person', async () => {
    const team = await workspaceWith(console, 'Density', [{}])
    const { page, runs } = await runsAt(`?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    const height = () =>
      page
        .locator('tr[data-row-id]')
        .first()
        .evaluate((row) => row.clientHeight)
    expect(await height()).toBe(36)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByText('Compact', { exact: true }).click()
    await eventually(height).toBe(30)
    await usersPage(page).goto()
    await usersPage(page).rows.first().waitFor()
    expect(await height()).toBe(30)
  })

  it('keeps in a narrow frame the columns that matter, from its first picture on, and what was chosen', async () => {
    const team = await workspaceWith(console, 'Narrow', [
      { ref_key: 'a/key-with-a-rather-long-name/and-folders', model: 'a-model-of-which-every-word-is-said' },
    ])
    const { page, close } = await console.visit(admin, { width: 900 })
    // Every head that is painted is noted, so that a column that comes and goes is seen.
    await page.addInitScript(() => {
      const seen = new Set<string>()
      const note = () => {
        const titles = [...document.querySelectorAll('th[data-col]')].map((head) => head.textContent)
        if (titles.length > 0) seen.add(titles.join(' '))
        requestAnimationFrame(note)
      }
      requestAnimationFrame(note)
      Object.assign(window, { seenHeads: seen })
    })
    const runs = runsPage(page)
    await runs.goto(`?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    const few = 'Time Key Model Latency Status Cost'
    expect(await page.evaluate(() => [...(Reflect.get(window, 'seenHeads') as Set<string>)])).toEqual([few])
    await page.getByRole('button', { name: 'Columns' }).click()
    const source = page.getByRole('checkbox', { name: 'Source' })
    expect(await source.isChecked()).toBe(false)
    expect(await page.getByText('No room at this width').count()).toBe(3)
    await source.check()
    await page.getByRole('checkbox', { name: 'Cost' }).uncheck()
    const chosen = 'Time Source Key Model Latency Status'
    await eventually(() => runs.titles()).toBe(chosen)
    await page.reload()
    await runs.rows.first().waitFor()
    expect(await runs.titles()).toBe(chosen)
    await page.setViewportSize({ width: 1440, height: 900 })
    await eventually(() => runs.titles()).toBe('Time Source Key Model In Out Latency Status')
    await page.setViewportSize({ width: 900, height: 900 })
    await eventually(() => runs.titles()).toBe(chosen)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset columns' }).click()
    await eventually(() => runs.titles()).toBe(few)
    await close()
  })

  it.each([760, 900, 1100, 1280])('is cut nowhere in a window of %i pixels', async (width) => {
    const team = await workspaceWith(console, `Cut ${width}`, [
      { ref_key: 'a/key-with-a-rather-long-name/and-folders', model: 'a-model-of-which-every-word-is-said' },
    ])
    const prompts = console.server.client().prompts
    await prompts.create({
      body: {
        key: `long/cut-${width}-${'k'.repeat(60)}`,
        name: 'n'.repeat(80),
        env: 'dev',
        content: 'Hello',
      },
    })
    const key = `long/cut-${width}-${'k'.repeat(60)}`
    await console.server.client().agents.create({ body: { key, name: 'n'.repeat(80), content: 'Hello' } })
    const steps = [{ name: 'say', type: 'render' as const, template: 'Hello' }]
    await console.server.client().workflows.create({ body: { key, name: 'n'.repeat(80), steps } })
    const app = await connectApp(console.server, 'an-app-with-a-name-that-goes-on-and-on')
    const { page, close } = await console.visit(admin, { width })
    for (const path of [
      `/runs?workspace=${team.slug}`,
      '/clients',
      '/prompts',
      '/agents',
      '/workflows',
      '/audit',
      '/users',
      '/workspaces',
    ]) {
      await page.goto(path)
      await page.locator('tr[data-row-id]').first().waitFor()
      const beyond = await page
        .locator('table')
        .evaluate(({ parentElement: frame }) =>
          frame === null ? null : frame.scrollWidth - frame.clientWidth,
        )
      expect([path, beyond]).toEqual([path, 0])
    }
    await app.leave()
    await close()
  })

  it('shows a moment exactly on hover and to the keyboard', async () => {
    const at = hoursAgo(100)
    const utc = at.replace('T', ' ').replace('Z', ' UTC')
    const team = await workspaceWith(console, 'Exact', [{ created_at: at }])
    const { page, runs } = await runsAt(`?workspace=${team.slug}&period=all`)
    const [id = 0] = team.ids
    await runs.rowOf(id).locator('time').hover()
    const hint = page.getByRole('tooltip')
    await hint.filter({ hasText: utc }).waitFor()
    await page.mouse.move(0, 0)
    await hint.waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await hint.filter({ hasText: utc }).waitFor()
  })

  it('lists its keys under "?", and Tab reaches one row only', async () => {
    const team = await workspaceWith(console, 'Keys', [{}, {}, {}])
    const { page, runs } = await runsAt(`?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    await page.keyboard.press('?')
    const keys = keyListPart(page)
    for (const label of ['Row below', 'Row above', 'Open the row', 'Select the row', 'Select to this row']) {
      await keys.line(label).waitFor()
    }
    await keys.close()
    expect(await runs.table.locator('tr[tabindex="0"]').count()).toBe(1)
  })

  it('shares what it shows by a link, and opens one that says more than it knows', async () => {
    const team = await workspaceWith(console, 'Links', [{ status: 'error' }, {}])
    const [failed] = team.ids
    const { page, runs } = await runsAt(
      `?workspace=${team.slug}&status=error&status=melted&from=yesterday&min_latency_ms=many&colour=red`,
    )
    await eventually(() => runs.ids()).toEqual([failed])
    await page.getByRole('button', { name: 'Copy a link to this view' }).click()
    await toast(page, 'Link copied').waitFor()
    const link = await clipboard()
    expect(link).toBe(page.url())
    await page.goto('/users')
    await page.goto(link)
    await eventually(() => runs.ids()).toEqual([failed])
  })

  it('takes a figure with its unit, and refuses what is none', async () => {
    const team = await workspaceWith(console, 'Units', [{ latency_ms: 2000 }, { latency_ms: 900 }])
    const [slow] = team.ids
    const { page, runs, search } = await runsAt(`?workspace=${team.slug}`)
    await runs.filters.open('Latency at least')
    const field = page.getByRole('textbox', { name: 'Latency at least' })
    await field.fill('slow')
    await field.press('Enter')
    await page.getByText('Enter a number, such as 1500 or 1.5 s.').waitFor()
    await field.fill('1.5 s')
    await field.press('Enter')
    await eventually(() => runs.ids()).toEqual([slow])
    expect(search().get('min_latency_ms')).toBe('1500')
  })

  it('takes a period from and to by keyboard: local time on screen, UTC in the address', async () => {
    const team = await workspaceWith(console, 'Custom', [{ created_at: hoursAgo(50), ref_key: 'then' }])
    const { page, runs, search } = await runsAt(`?workspace=${team.slug}`)
    await page.getByRole('button', { name: /^Period:/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Last 24 hours', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    for (let at = 0; at < 4; at += 1) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
    await eventually(() => from.evaluate((field) => field === document.activeElement)).toBe(true)
    const local = (hours: number): Promise<string> =>
      page.evaluate(
        (ms) => {
          const at = new Date(ms)
          return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
        },
        Date.parse(hoursAgo(hours)),
      )
    await from.fill(await local(10))
    await to.fill(await local(49))
    await page.keyboard.press('Enter')
    await page.getByText('Must be after the start.').waitFor()
    expect(search().has('from')).toBe(false)
    const start = await local(51)
    await from.fill(start)
    await page.keyboard.press('Enter')
    await runs.row('then').waitFor()
    const expected = await page.evaluate((text) => new Date(text).toISOString(), start)
    expect(search().get('from')).toBe(expected)
    await page.getByRole('button', { name: /^Period: .+ – / }).waitFor()
  })
})

describe('Selecting', { timeout: patience }, () => {
  it('is done with the keyboard, in ranges, and pins the list', async () => {
    const team = await workspaceWith(console, 'Select', [{}, {}, {}, {}, {}])
    const ids = team.ids.toReversed()
    const { page, runs } = await runsAt(`?workspace=${team.slug}`)
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
  })

  it('keeps every row where it is while thousands of runs come in, and counts them', async () => {
    const team = await workspaceWith(
      console,
      'Flood',
      Array.from({ length: 50 }, (_, index) => ({ ref_key: `read/${index}` })),
    )
    const ids = team.ids.toReversed()
    const { page, runs } = await runsAt(`?workspace=${team.slug}&period=all`)
    await eventually(() => runs.ids()).toEqual(ids)
    await runs.check(`Run ${ids[3]}`).click()
    await page.keyboard.press('Escape')
    await runs.check(`Run ${ids[4]}`).click()
    // Whatever the list shows at any moment is noted, not only what a look now and then finds.
    await page.evaluate(() => {
      const seen = new Set<string>()
      const note = () =>
        seen.add(
          [...document.querySelectorAll('tr[data-row-id]')]
            .map((row) => row.getAttribute('data-row-id'))
            .join(),
        )
      note()
      new MutationObserver(note).observe(document.body, { childList: true, subtree: true })
      Object.assign(window, { seenLists: seen })
    })
    const batch = Array.from({ length: 500 }, (_, index) => ({ ref_key: `flood/${index % 9}` }))
    const counts: number[] = []
    for (let sent = 0; sent < 3000; sent += batch.length) {
      await team.report(...batch)
      // Counted before the next thousand: the list follows, and is not only right in the end.
      if (sent % 1000 !== 500) continue
      await eventually(async () =>
        Number((await runs.waiting.innerText()).replaceAll(/[^\d]/g, '')),
      ).toBeGreaterThanOrEqual(sent + batch.length)
      counts.push(Number((await runs.waiting.innerText()).replaceAll(/[^\d]/g, '')))
    }
    expect(counts).toEqual([1000, 2000, 3000])
    expect(await page.evaluate(() => [...(Reflect.get(window, 'seenLists') as Set<string>)])).toEqual([
      ids.join(),
    ])
    await runs.waiting.click()
    await eventually(async () => (await runs.ids()).some((id) => ids.includes(id))).toBe(false)
  })

  it('takes a range with Shift and click, and a whole page at once', async () => {
    const team = await workspaceWith(console, 'Ranges', [{}, {}, {}, {}])
    const [first = 0, , third = 0] = team.ids
    const { page, runs } = await runsAt(`?workspace=${team.slug}`)
    await runs.check(`Run ${first}`).click()
    await runs.check(`Run ${third}`).click({ modifiers: ['Shift'] })
    expect(await runs.chosen.count()).toBe(3)
    await runs.bulk.action('Copy ids').click()
    await toast(page, '3 copied').waitFor()
    expect((await clipboard()).split('\n').map(Number)).toEqual(team.ids.slice(0, 3).toReversed())
    await runs.checkAll.click()
    await runs.bulk.bar.getByText('4 selected').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      runs.bulk.action('Save as CSV').click(),
    ])
    const saved = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    const whole = await console.server.call(`GET /api/runs/export?workspace=${team.slug}&format=csv`)
    expect(saved.toSorted()).toEqual(whole.text.trim().split('\r\n').toSorted())
    await runs.checkAll.click()
    await runs.bulk.bar.waitFor({ state: 'detached' })
  })

  it('disables several users, the last admin not, and says so for each', async () => {
    const people = [
      await console.server.signedIn('viewer', 'bulk-one'),
      await console.server.signedIn('admin', 'bulk-two'),
    ]
    const { page } = visit
    const users = usersPage(page)
    await users.goto()
    for (const name of ['admin', 'bulk-one', 'bulk-two']) await users.check(name).click()
    await users.bulk.action('Disable').click()
    await users.dialog.dialog.getByText('Your own account is among them').waitFor()
    await users.dialog.button('Disable').click()
    await users.dialog.dialog.getByText('2 of 3 done, 1 failed').waitFor()
    const lines = await users.dialog.dialog.getByRole('listitem').allInnerTexts()
    expect(lines.map((line) => line.replace(/\s+/g, ' '))).toEqual([
      'bulk-one Done',
      'bulk-two Done',
      expect.stringMatching(/^admin .*last active admin/i),
    ])
    await users.dialog.button('Close').last().click()
    await users.bulk.bar.waitFor({ state: 'detached' })
    await users.row('bulk-two').getByText('Disabled').waitFor()
    for (const { id } of people) {
      expect((await console.server.call(`GET /api/users/${id}`)).body.data.disabled).toBe(true)
    }
    for (const name of ['bulk-one', 'bulk-two']) await users.check(name).click()
    await users.bulk.action('Delete').click()
    await users.dialog.button('Delete').click({ force: true })
    await users.dialog.field(/to confirm$/).fill('delete 2')
    await page.keyboard.press('Enter')
    await toast(page, '2 users deleted').waitFor()
    await users.row('bulk-one').waitFor({ state: 'detached' })
  })

  it('disconnects several clients', async () => {
    const apps = [await connectApp(console.server, 'one'), await connectApp(console.server, 'two')]
    const { page } = visit
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
    const { page } = visit
    const audit = auditPage(page)
    await audit.goto('?action=login')
    await audit.rows.first().waitFor()
    await audit.checkAll.click()
    const count = await audit.chosen.count()
    await audit.bulk.action('Copy as JSON lines').click()
    await toast(page, `${count} copied`).waitFor()
    const copied = (await clipboard()).trim().split('\n')
    expect(copied.map((line) => JSON.parse(line).action)).toEqual(Array(count).fill('login'))
  })
})

describe('The drawer', { timeout: patience }, () => {
  it('goes on into the next page, and along the runs of a key', async () => {
    const team = await workspaceWith(
      console,
      'Walk on',
      Array.from({ length: 60 }, (_, index) => ({ ref_key: index % 20 === 0 ? 'rare' : 'common' })),
    )
    const [oldest = 0] = team.ids
    const edge = oldest + 10
    const { page, runs } = await runsAt(`/${edge}?workspace=${team.slug}`)
    await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${edge}`)
    await runs.rowOf(edge).waitFor()
    await runs.drawer.action('Older row').click()
    await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${edge - 1}`)
    await eventually(() => runs.range.innerText()).toBe('51–60 of 60')
    await page.keyboard.press('ArrowUp')
    await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${edge}`)
    await runs.goto(`/${oldest + 20}?workspace=${team.slug}`)
    await eventually(() => runs.drawer.action('Older of this key').isEnabled()).toBe(true)
    await runs.drawer.action('Older of this key').click()
    await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${oldest}`)
    await eventually(() => runs.drawer.action('Newer of this key').isEnabled()).toBe(true)
    expect(await runs.drawer.action('Older of this key').isEnabled()).toBe(false)
    for (const id of [oldest + 20, oldest + 40]) {
      await eventually(() => runs.drawer.action('Newer of this key').isEnabled()).toBe(true)
      await runs.drawer.action('Newer of this key').click()
      await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${id}`)
    }
  })
})

describe('An export', { timeout: patience }, () => {
  it('says how far it is, and can be cancelled from another page, leaving no file', async () => {
    const team = await workspaceWith(console, 'Slowly', [{}, {}])
    const { page, runs } = await runsAt(`?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    const saved: unknown[] = []
    page.on('download', (download) => saved.push(download))
    await page.evaluate(stallExports)
    await runs.export('CSV')
    const card = page.getByTestId('export')
    await eventually(() => card.getByTestId('export-progress').innerText()).toBe('15 B · 1 of 2 rows')
    await shell(page).link('Users').click()
    await shell(page).heading('Users').waitFor()
    await card.getByRole('button', { name: 'Cancel' }).click()
    await toast(page, 'Export of Runs cancelled. Nothing was saved.').waitFor()
    await card.waitFor({ state: 'detached' })
    expect(saved).toEqual([])
  })

  it('that breaks off says so, saves nothing and tries again', async () => {
    const team = await workspaceWith(console, 'Breaks', [{}, {}])
    const { page, runs } = await runsAt(`?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    const saved: unknown[] = []
    page.on('download', (download) => saved.push(download))
    await page.evaluate(stallExports)
    await runs.export('CSV')
    await page.getByTestId('export-progress').filter({ hasText: '1 of 2 rows' }).waitFor()
    await page.evaluate(() => window.dispatchEvent(new Event('break-export')))
    await page.getByText('It broke off after 1 row (15 B). Nothing was saved.').waitFor()
    expect(saved).toEqual([])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      runs.failure.getByRole('button', { name: 'Retry' }).click(),
    ])
    expect((await readFile(await download.path(), 'utf8')).trim().split('\r\n')).toHaveLength(3)
    await toast(page, 'Runs exported: 2 rows').waitFor()
  })

  it('that is refused says why, with the request id', async () => {
    const team = await workspaceWith(console, 'Refused', [{}])
    const { page, runs } = await runsAt(`?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    await page.route('**/api/runs/export?*', (route) =>
      route.fulfill(problem(503, 'store.unavailable', 'The store is not available', 'request-9')),
    )
    await runs.export('JSON lines')
    await runs.failure.getByText('request-9').waitFor()
    await page.unroute('**/api/runs/export?*')
  })
})

describe.each(['light', 'dark'] as const)('axe finds nothing (%s)', { timeout: patience }, (colorScheme) => {
  it('about a selection, its question, a custom period and chosen widths', async () => {
    const { page, close } = await console.visit(admin, { colorScheme })
    const users = usersPage(page)
    await users.goto()
    await users.check('admin').click()
    await users.bulk.action('Delete').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await users.bulk.action('Delete').click()
    await users.dialog.field(/to confirm$/).waitFor()
    expect(await axeFaults(page)).toEqual([])
    const runs = runsPage(page)
    await runs.goto('?from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z')
    await runs.rows.first().waitFor()
    await runs.edge('Source').press('ArrowRight')
    await page.getByRole('button', { name: /^Period:/ }).click()
    await page.getByLabel('From', { exact: true }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await runs.checkAll.click()
    await runs.bulk.action('Copy ids').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.evaluate(stallExports)
    await runs.export('CSV')
    await page.getByTestId('export-progress').filter({ hasText: '1 of' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })
})

/** In the page: the next export sends one row and then nothing more, until it is told to break. */
function stallExports(): void {
  const real = window.fetch
  window.fetch = (input, init) => {
    if (!String(input).includes('/export?')) return real(input, init)
    window.fetch = real
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('id,model\r\n1,a\r\n'))
        const end = () => controller.error(new TypeError('network error'))
        init?.signal?.addEventListener('abort', end)
        window.addEventListener('break-export', end, { once: true })
      },
    })
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/csv' } }))
  }
}
