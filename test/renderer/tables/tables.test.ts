import { describe, expect, it } from 'vitest'
import { eventually, patience } from '../support/console.ts'
import { connectApp } from '../support/pages/clients.ts'
import { hoursAgo, runsPage, workspaceWith } from '../support/pages/runs.ts'
import { usersPage } from '../support/pages/users.ts'
import { keyListPart, toast } from '../support/parts.ts'
import { shell } from '../support/shell.ts'
import { withTables } from '../support/tables.ts'
import { followPath, openPath } from '../support/warm.ts'

const tables = withTables()

describe('A table', { timeout: patience }, () => {
  it('keeps the width of a column that was changed by pointer or keyboard until it is reset, and the row height', async () => {
    const team = await workspaceWith(tables.console, 'Widths', [{ ref_key: 'a/rather-long-key' }])
    const { page, runs } = await tables.runsAt(`?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    const defaultWidth = await runs.widthOf('Source')
    const latencyWidth = await runs.widthOf('Latency')
    const box = await runs.edge('Source').boundingBox()
    if (box === null) throw new Error('no edge')
    await page.mouse.move(box.x + box.width / 2, box.y + 8)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2 + 40, box.y + 8)
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + 8)
    await page.mouse.up()
    await eventually(() => runs.widthOf('Source')).toBe(defaultWidth + 60)
    expect(await runs.widthOf('Latency')).toBe(latencyWidth)
    await runs.edge('Source').focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Shift+ArrowRight')
    await eventually(() => runs.widthOf('Source')).toBe(defaultWidth + 60 - 8 + 40)
    await page.reload()
    await runs.rows.first().waitFor()
    await eventually(() => runs.widthOf('Source')).toBe(defaultWidth + 92)
    expect(await runs.edge('Source').getAttribute('aria-valuenow')).toBe(String(defaultWidth + 92))
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset columns' }).click()
    await eventually(() => runs.widthOf('Source')).toBe(defaultWidth)
    const height = () =>
      page
        .locator('tr[data-row-id]')
        .first()
        .evaluate((row) => row.clientHeight)
    expect(await height()).toBe(36)
    await page.getByText('Compact', { exact: true }).click()
    await eventually(height).toBe(30)
    await followPath(page, '/users')
    await usersPage(page).rows.first().waitFor()
    expect(await height()).toBe(30)
  })

  it('keeps the important and the chosen columns in a narrow window, from the first paint on', async () => {
    const team = await workspaceWith(tables.console, 'Narrow', [
      { ref_key: 'a/key-with-a-rather-long-name/and-folders', model: 'a-model-of-which-every-word-is-said' },
    ])
    const { page, close } = await tables.console.visit(tables.admin, { width: 900, isSpoilt: true })
    // Every painted header is recorded, so that a flickering column is detected.
    await page.addInitScript(() => {
      const seen = new Set<string>()
      const record = () => {
        const titles = [...document.querySelectorAll('th[data-col]')].map((head) => head.textContent)
        if (titles.length > 0) seen.add(titles.join(' '))
        requestAnimationFrame(record)
      }
      requestAnimationFrame(record)
      Object.assign(window, { seenHeads: seen })
    })
    const runs = runsPage(page)
    await page.goto(`/runs?workspace=${team.slug}`)
    await runs.rows.first().waitFor()
    const basic = 'Time Env Key Model Latency Status Cost'
    expect(await page.evaluate(() => [...(Reflect.get(window, 'seenHeads') as Set<string>)])).toEqual([basic])
    await page.getByRole('button', { name: 'Columns' }).click()
    const source = page.getByRole('checkbox', { name: 'Source' })
    expect(await source.isChecked()).toBe(false)
    expect(await page.getByText('Hidden at this width').count()).toBe(3)
    await source.check()
    await page.getByRole('checkbox', { name: 'Cost' }).uncheck()
    const chosen = 'Time Env Source Key Model Latency Status'
    await eventually(() => runs.titles()).toBe(chosen)
    await page.reload()
    await runs.rows.first().waitFor()
    expect(await runs.titles()).toBe(chosen)
    await page.setViewportSize({ width: 1440, height: 900 })
    await eventually(() => runs.titles()).toBe('Time Env Source Key Model In Out Latency Status')
    await page.setViewportSize({ width: 900, height: 900 })
    await eventually(() => runs.titles()).toBe(chosen)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset columns' }).click()
    await eventually(() => runs.titles()).toBe(basic)
    await close()
  })

  it('is not clipped in a window of 760 to 1280 pixels', async () => {
    const team = await workspaceWith(tables.console, 'Cut', [
      { ref_key: 'a/key-with-a-rather-long-name/and-folders', model: 'a-model-of-which-every-word-is-said' },
    ])
    const client = tables.console.server.client()
    const named = { key: `long/cut-${'k'.repeat(60)}`, name: 'n'.repeat(80) }
    await client.prompts.create({ body: { ...named, env: 'dev', content: 'Hello' } })
    await client.agents.create({ body: { ...named, content: 'Hello' } })
    const steps = [{ name: 'say', type: 'render' as const, template: 'Hello' }]
    await client.workflows.create({ body: { ...named, steps } })
    const app = await connectApp(tables.console.server, 'an-app-with-a-name-that-goes-on-and-on')
    const { page } = tables.visit
    await openPath(page, '/sessions')
    await shell(page).heading('Sessions').waitFor()
    const frame = page.locator('table').locator('..')
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
      await page.setViewportSize({ width: 760, height: 900 })
      await followPath(page, path)
      await page.locator('tr[data-row-id]').first().waitFor()
      for (const width of [760, 900, 1100, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        const overflow = () => frame.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
        await eventually(async () => [path, width, await overflow()]).toEqual([path, width, 0])
      }
    }
    await app.disconnect()
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('shows the exact time on hover and on focus; Tab reaches one row only; "?" lists the keys', async () => {
    const at = hoursAgo(100)
    const utc = at.replace('T', ' ').replace('Z', ' UTC')
    const team = await workspaceWith(tables.console, 'Exact', [{ created_at: at }, {}, {}])
    const { page, runs } = await tables.runsAt(`?workspace=${team.slug}&period=all&sort=created_at`)
    const [id = 0] = team.ids
    await runs.rowOf(id).locator('time').hover()
    const hint = page.getByRole('tooltip')
    await hint.filter({ hasText: utc }).waitFor()
    await page.mouse.move(0, 0)
    await hint.waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await hint.filter({ hasText: utc }).waitFor()
    expect(await runs.table.locator('tr[tabindex="0"]').count()).toBe(1)
    await page.keyboard.press('?')
    const keys = keyListPart(page)
    for (const label of ['Row below', 'Row above', 'Open row', 'Select row', 'Select to this row']) {
      await keys.line(label).waitFor()
    }
    await keys.close()
  })

  it('shares its view by a link, and opens one with unknown parameters', async () => {
    const team = await workspaceWith(tables.console, 'Links', [{ status: 'error' }, {}])
    const [failed] = team.ids
    const { page, runs } = await tables.runsAt(
      `?workspace=${team.slug}&status=error&status=melted&from=yesterday&min_latency_ms=many&colour=red`,
    )
    await eventually(() => runs.ids()).toEqual([failed])
    await page.getByRole('button', { name: 'Copy link to this view' }).click()
    await toast(page, 'Link copied').waitFor()
    const link = await tables.clipboard()
    expect(link).toBe(page.url())
    await openPath(page, link)
    await eventually(() => runs.ids()).toEqual([failed])
  })

  it('accepts a number with its unit only, and a period by keyboard: local time on screen, UTC in the address', async () => {
    const team = await workspaceWith(tables.console, 'Units', [
      { latency_ms: 2000 },
      { latency_ms: 900 },
      { latency_ms: 2000, created_at: hoursAgo(50), ref_key: 'then' },
    ])
    const [slow] = team.ids
    const { page, runs, search } = await tables.runsAt(`?workspace=${team.slug}`)
    await runs.filters.open('Minimum latency')
    const field = page.getByRole('textbox', { name: 'Minimum latency' })
    await field.fill('slow')
    await field.press('Enter')
    await page.getByText('Enter a number, such as 1500 or 1.5 s.').waitFor()
    await field.fill('1.5 s')
    await field.press('Enter')
    await eventually(() => runs.ids()).toEqual([slow])
    expect(search().get('min_latency_ms')).toBe('1500')

    await page.getByRole('button', { name: /^Period:/ }).focus()
    await page.keyboard.press('Enter')
    const chosen = page.getByRole('button', { name: 'Last 24 hours', exact: true })
    await eventually(() => chosen.evaluate((choice) => choice === document.activeElement)).toBe(true)
    for (let step = 0; step < 11; step += 1) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
    await eventually(() => from.evaluate((field) => field === document.activeElement)).toBe(true)
    const local = (hours: number): string => {
      const time = Date.parse(hoursAgo(hours))
      return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
    }
    await from.fill(local(10))
    await to.fill(local(49))
    await page.keyboard.press('Enter')
    await page.getByText('The end must be after the start.').waitFor()
    expect(search().has('from')).toBe(false)
    const start = local(51)
    await from.fill(start)
    await page.keyboard.press('Enter')
    await runs.row('then').waitFor()
    expect(search().get('from')).toBe(new Date(start).toISOString())
    await page.getByRole('button', { name: /^Period: .+ – / }).waitFor()
  })

  it('keep a time of the address that is not edited, and drop one that the service rejects', async () => {
    const from = '2026-10-25T01:30:00.500Z'
    const { page, search } = await tables.runsAt(`?from=${from}&to=%2B012026-01-01T00:00Z`)
    await page.getByRole('button', { name: /^Period:/ }).click()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByLabel('From', { exact: true }).waitFor({ state: 'detached' })
    expect([search().get('from'), search().has('to')]).toEqual([from, false])
  })
})
