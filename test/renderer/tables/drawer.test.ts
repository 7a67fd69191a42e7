import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { runsPage, workspaceWith } from '../support/pages/runs.ts'
import { usersPage } from '../support/pages/users.ts'
import { toast } from '../support/parts.ts'
import { shell } from '../support/shell.ts'
import { withTables } from '../support/tables.ts'

const tables = withTables()

describe('The drawer', { timeout: patience }, () => {
  it('continues into the next page, and through the runs of a key', async () => {
    const team = await workspaceWith(
      tables.console,
      'Continue',
      Array.from({ length: 60 }, (_, index) => ({ ref_key: index % 20 === 0 ? 'rare' : 'common' })),
    )
    const [oldest = 0] = team.ids
    const lastOnPage = oldest + 10
    const { page, runs } = await tables.runsAt(`/${lastOnPage}?workspace=${team.slug}`)
    await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${lastOnPage}`)
    await runs.rowOf(lastOnPage).waitFor()
    await runs.drawer.action('Older row').click()
    await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${lastOnPage - 1}`)
    await eventually(() => runs.range.innerText()).toBe('51–60 of 60')
    await page.keyboard.press('ArrowUp')
    await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${lastOnPage}`)
    await runs.goto(`/${oldest + 20}?workspace=${team.slug}`)
    await eventually(() => runs.drawer.action('Older run of this key').isEnabled()).toBe(true)
    await runs.drawer.action('Older run of this key').click()
    await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${oldest}`)
    await eventually(() => runs.drawer.action('Newer run of this key').isEnabled()).toBe(true)
    expect(await runs.drawer.action('Older run of this key').isEnabled()).toBe(false)
    for (const id of [oldest + 20, oldest + 40]) {
      await eventually(() => runs.drawer.action('Newer run of this key').isEnabled()).toBe(true)
      await runs.drawer.action('Newer run of this key').click()
      await eventually(() => runs.drawer.title.innerText()).toBe(`Run ${id}`)
    }
  })

  it('opens a row in a new tab by Ctrl and click, the middle button, and Ctrl and Enter', async () => {
    const { page } = tables.visit
    const users = usersPage(page)
    await users.goto('?q=admin')
    const row = users.row('admin')
    for (const open of [
      () =>
        row
          .locator('td')
          .last()
          .click({ modifiers: ['ControlOrMeta'] }),
      () => row.locator('td').last().click({ button: 'middle' }),
      () => row.press('ControlOrMeta+Enter'),
    ]) {
      const [tab] = await Promise.all([page.context().waitForEvent('page'), open()])
      await tab.waitForURL(/\/users\/[^/?]+\?q=admin$/, { waitUntil: 'commit' })
      await tab.close()
      expect(await users.drawer.drawer.count()).toBe(0)
    }
    await users.open('admin')
    await users.drawer.drawer.waitFor()
  })

  it('prints alone and in full, and a list with all rows', async () => {
    const team = await workspaceWith(tables.console, 'Paper', [{}, {}, {}, {}, {}, {}, {}, {}])
    const { page, close } = await tables.console.visit(tables.admin)
    const runs = runsPage(page)
    await runs.goto(`?workspace=${team.slug}`)
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: 703, height: 400 })
    const isWhole = (part: Element) =>
      part.scrollHeight <= part.clientHeight || getComputedStyle(part).overflowY === 'visible'
    await eventually(() => runs.table.locator('..').evaluate(isWhole)).toBe(true)
    await runs.goto(`/${team.ids[0]}`)
    await runs.drawer.drawer.getByText('Request ID').waitFor()
    expect(await runs.drawer.drawer.locator('> div').last().evaluate(isWhole)).toBe(true)
    expect(await runs.table.isVisible()).toBe(false)
    await close()
  })
})

describe('An export', { timeout: patience }, () => {
  it('that is interrupted reports it, saves nothing and retries; one is cancelled from another page', async () => {
    const team = await workspaceWith(tables.console, 'Slowly', [{}, {}])
    const { page, runs } = await tables.runsAt(`?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    const saved: unknown[] = []
    page.on('download', (download) => saved.push(download))
    const card = page.getByTestId('export')
    const stall = async () => {
      await page.evaluate(stallExports)
      await runs.export('CSV')
      await eventually(() => card.getByTestId('export-progress').innerText()).toBe('15 B · 1 of 2 rows')
    }
    await stall()
    await page.evaluate(() => window.dispatchEvent(new Event('break-export')))
    await page.getByText('The export was interrupted after 1 row (15 B). Nothing was saved.').waitFor()
    expect(saved).toEqual([])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      runs.failure.getByRole('button', { name: 'Retry' }).click(),
    ])
    expect((await readFile(await download.path(), 'utf8')).trim().split('\r\n')).toHaveLength(3)
    await toast(page, 'Runs exported: 2 rows').waitFor()

    await stall()
    await shell(page).link('Users').click()
    await shell(page).heading('Users').waitFor()
    await card.getByRole('button', { name: 'Cancel' }).click()
    await toast(page, 'Export of Runs cancelled. Nothing was saved.').waitFor()
    await card.waitFor({ state: 'detached' })
    expect(saved).toHaveLength(1)
  })
})

describe('axe finds nothing', { timeout: patience }, () => {
  it('about a selection, its confirmation, a custom period, changed widths and an export', async () => {
    const team = await workspaceWith(tables.console, 'Checked', [{}, {}])
    const { page, close } = await tables.console.visit(tables.admin)
    const users = usersPage(page)
    await users.goto()
    await users.check('admin').click()
    await users.bulk.action('Delete').click()
    await users.dialog.field(/to confirm$/).waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    const runs = runsPage(page)
    await runs.goto(`?workspace=${team.slug}&from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z`)
    await runs.rows.first().waitFor()
    await runs.edge('Source').press('ArrowRight')
    await page.getByRole('button', { name: /^Period:/ }).click()
    await page.getByLabel('From', { exact: true }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await runs.checkAll.click()
    await runs.bulk.action('Copy IDs').waitFor()
    await page.evaluate(stallExports)
    await runs.export('CSV')
    await page.getByTestId('export-progress').filter({ hasText: '1 of' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })
})

/** Runs in the page. Makes the next export send one row, then stall until the event `break-export`. */
function stallExports(): void {
  const originalFetch = window.fetch
  window.fetch = (input, init) => {
    if (!String(input).includes('/export?')) return originalFetch(input, init)
    window.fetch = originalFetch
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
