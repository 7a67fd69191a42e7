import { describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { settingsPage } from '../support/pages/settings.ts'
import { toast } from '../support/parts.ts'
import { expectNoDialog } from '../support/shell.ts'
import { followPath, openPath } from '../support/warm.ts'

const day = 24 * 3_600_000

describe('Settings and the machine', { timeout: patience }, () => {
  let shiftMs = 0
  const clock = {
    now: () => new Date(Date.now() + shiftMs),
    monotonicMs: () => performance.now(),
  }
  const console = setUpConsole({ env: { RUN_RETENTION_DAYS: '12' }, substitutes: { clock } })
  const state = async () => (await console.server.call('GET /api/settings/deletion')).body.data.status

  it('shows settings from the environment with the reason, and does not change them', async () => {
    const { page, close } = await console.visit((await console.server.signedIn('admin')).token)
    const settings = settingsPage(page)
    await settings.goto()
    await settings.group('Run log').getByText('Set by the environment variable RUN_RETENTION_DAYS').waitFor()
    expect(await settings.days.inputValue()).toBe('12')
    expect(await settings.days.getAttribute('readonly')).not.toBe(null)
    await settings.group('Service token').getByText('Set by the environment variable SERVICE_TOKEN').waitFor()
    const create = page.getByRole('button', { name: 'Create service token' })
    await create.focus()
    await page.getByRole('tooltip').getByText('SERVICE_TOKEN').waitFor()
    await page.keyboard.press('Enter')
    await expectNoDialog(page)
    await close()
  })

  it('shows on every page to admins only that a clock jump paused deletion, which they resume in the settings', async () => {
    const admin = await console.server.signedIn('admin')
    const viewer = await console.server.signedIn('viewer')
    const paused = 'Deletion by age is paused'
    const { page, faults, close } = await console.visit(admin.token)
    const settings = settingsPage(page)
    await settings.goto()
    await settings.group('Run log').waitFor()
    expect(await page.getByText(paused).count()).toBe(0)

    // The clock moves back, because a session then stays valid.
    shiftMs = -40 * day
    expect(await state()).toBe('paused')
    await page.getByRole('status').filter({ hasText: paused }).waitFor()
    const notice = page.getByTestId('deletion-paused')
    await notice.getByText('It moved back by 40 days.').waitFor()
    expect(await axeFaults(page, '[role="status"], [data-testid="deletion-paused"]')).toEqual([])

    const other = await console.visit(viewer.token)
    await openPath(other.page, '/runs')
    await other.page.getByRole('heading', { name: 'Runs' }).waitFor()
    expect(await other.page.getByText(paused).count()).toBe(0)
    await other.close()

    await followPath(page, '/runs')
    await page.getByRole('link', { name: 'Check clock' }).click()
    await notice.getByRole('button', { name: 'Confirm clock and resume deletion' }).click()
    await settings.dialog.dialog.getByText('correct the clock of the machine first').waitFor()
    await settings.dialog.button('Resume deletion').click()
    await toast(page, 'Deletion by age resumed.').waitFor()
    await notice.waitFor({ state: 'detached' })
    await eventually(() => page.getByText(paused).count()).toBe(0)
    expect(await state()).toBe('running')
    expect(faults).toEqual([])
    await close()
  })
})
