import type { Route } from 'playwright'
import { describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withSettings } from '../support/fixtures/settings.ts'
import { settingsPage } from '../support/pages/settings.ts'
import { workspacesPage } from '../support/pages/workspaces.ts'
import { toast } from '../support/parts.ts'
import { shell } from '../support/shell.ts'

describe('Settings', { timeout: patience }, () => {
  const { shared, open, call, stored } = withSettings()

  it('saves a group separately, asks before runs are deleted, and shows who changed it', async () => {
    const { page, settings, close } = await open()
    await settings.group('Run log').getByText('Default', { exact: true }).waitFor()
    await settings.days.fill('0')
    await settings.save('Run log').click()
    await page.getByText('Enter a whole number from 1 to 3,650.').waitFor()
    await settings.days.fill('30')
    await page.getByRole('radio', { name: 'Redacted' }).check()
    await page.keyboard.press('Enter')
    await settings.dialog.dialog.getByText('The current limit is 90 days.').waitFor()
    expect((await stored()).run_retention_days).toBe(90)
    await settings.dialog.button('Keep only 30 days').click()
    await toast(page, 'Run log saved.').waitFor()
    expect(await stored()).toMatchObject({
      run_retention_days: 30,
      capture: 'redacted',
      workspace_creation_role: 'editor',
    })
    await settings.group('Run log').getByText('Changed by admin').waitFor()
    await settings.group('Workspaces').getByText('Default', { exact: true }).waitFor()
    await close()
  })

  it('names a value out of range, sends a group once, keeps what is typed meanwhile, and sends that next', async () => {
    const { page, settings, close } = await open('#payloads')
    const group = settings.group('Captured inputs and outputs')
    const field = (name: string) => group.getByRole('textbox', { name })
    await field('Keep inputs and outputs for').fill('91')
    await settings.save('Captured inputs and outputs').click()
    await page.getByText('Enter a whole number from 1 to 90.').waitFor()
    const patches: Route[] = []
    await page.route('**/api/settings', async (route) => {
      // The first is held.
      if (route.request().method() !== 'PATCH' || patches.push(route) > 1) await route.continue()
    })
    await field('Keep inputs and outputs for').fill('20')
    await group.locator('form').evaluate((form: HTMLFormElement) => {
      form.requestSubmit()
      form.requestSubmit()
    })
    await eventually(() => patches.length).toBeGreaterThan(0)
    await field('Keep inputs and outputs for').fill('21')
    await field('Maximum size').fill('99')
    await patches[0]?.continue()
    await toast(page, 'Captured inputs and outputs saved.').waitFor()
    expect(await field('Keep inputs and outputs for').inputValue()).toBe('21')
    expect(await field('Maximum size').inputValue()).toBe('99')
    await settings.save('Captured inputs and outputs').click()
    await eventually(stored).toMatchObject({ payload_retention_days: 21, payload_max_mb: 99 })
    expect(patches).toHaveLength(2)
    let isStored = false
    await page.route('**/api/settings', async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      if (isStored) await route.fetch()
      await route.fulfill({ status: 502 })
    })
    await field('Maximum size').fill('98')
    await settings.save('Captured inputs and outputs').click()
    const failure = group.getByText('may not have been saved')
    await failure.waitFor()
    isStored = true
    const reply = page.waitForResponse((response) => response.status() === 502)
    await settings.save('Captured inputs and outputs').click()
    await reply
    await group.getByText('Changed by admin').waitFor()
    await eventually(() => failure.count()).toBe(0)
    await page.unroute('**/api/settings')
    await close()
  })

  it('saves the budget of the gateway and shows its use, and names limits that are not valid', async () => {
    const { page, settings, close } = await open('#budget')
    const group = settings.group('Gateway budget')
    await group.getByRole('textbox', { name: 'Tokens per day' }).fill('none')
    await settings.save('Gateway budget').click()
    await group.getByText('Enter a number above 0, or leave the field empty.').waitFor()
    expect((await stored()).budget).toBeNull()
    await group.getByRole('textbox', { name: 'Tokens per day' }).fill('9000')
    await group.getByRole('combobox', { name: 'When a limit is reached' }).selectOption('Only notify')
    await page.keyboard.press('Tab')
    await settings.save('Gateway budget').click()
    await toast(page, 'Gateway budget saved.').waitFor()
    expect((await stored()).budget).toMatchObject({ tokens_per_day: 9000, usd_per_day: null, mode: 'warn' })
    await group.getByRole('progressbar', { name: 'Tokens per day' }).waitFor({ state: 'attached' })
    expect(await axeFaults(page, '#budget')).toEqual([])
    await close()
  })

  it('changes the permission to create workspaces, which a viewer sees immediately', async () => {
    await call('POST /api/users', { username: 'vera', password: 'a phrase of vera 1', role: 'viewer' })
    const viewer = await shared.console.server.login('vera', 'a phrase of vera 1')
    const viewing = await shared.open(workspacesPage, '', viewer)
    const create = viewing.page.getByRole('button', { name: 'Create workspace' }).first()
    await eventually(() => create.getAttribute('aria-disabled')).toBe('true')
    const { page, settings, close } = await open()
    await settings.group('Workspaces').getByRole('radio', { name: 'Viewer' }).check()
    await settings.save('Workspaces').click()
    await toast(page, 'Workspaces saved.').waitFor()
    await eventually(() => create.getAttribute('aria-disabled')).toBe(null)
    await viewing.close()
    await close()
  })

  it('adds, edits, removes and pastes prices, and saves them as one table', async () => {
    const { page, settings, close } = await open()
    await settings.findPrice('gpt-4o-mini')
    await eventually(async () => (await settings.prices()).length).toBe(2)
    await page.getByRole('button', { name: 'Add price' }).click()
    const { dialog } = settings
    await dialog.button('Apply').click()
    await dialog.dialog.getByText('Enter a provider.').waitFor()
    await dialog.field('Provider').fill('openai')
    await dialog.field('Model').fill('gpt-4o-mini')
    await dialog.dialog.getByLabel('Effective from').fill('2024-07-18')
    await dialog.field(/^Input/).fill('1')
    await dialog.field(/^Output/).fill('two')
    await dialog.button('Apply').click()
    await dialog.dialog.getByText('Enter an amount from 0 to 100,000, such as').waitFor()
    await dialog.dialog.getByText('A price for this provider, model and date already exists.').waitFor()
    await dialog.dialog.getByLabel('Effective from').fill('2026-01-01')
    await dialog.field(/^Output/).fill('2')
    await dialog.button('Apply').click()
    await page.getByText('1 unsaved change.').waitFor()
    expect((await settings.prices())[0]?.slice(2)).toEqual(['2026-01-01', '$1.00', '$2.00'])
    await page.getByRole('button', { name: 'Remove price of gpt-4o-mini from 2024-07-18' }).click()
    await page.getByText('2 unsaved changes.').waitFor()
    await page.getByRole('button', { name: 'Paste CSV' }).click()
    await dialog.dialog.getByRole('textbox').fill('provider,model,from,input,output\nacme,one,2026-02-30,1,2')
    await dialog.button('Add prices').click()
    await dialog.dialog.getByText('Line 2: Enter a date, such as 2026-01-31.').waitFor()
    await dialog.dialog
      .getByRole('textbox')
      .fill('acme,"one, two",2026-02-03,1,2\nacme;zwei;2026-02-03;0.5;4\n')
    await dialog.button('Add prices').click()
    await dialog.dialog.waitFor({ state: 'detached' })
    await settings.save('Prices').click()
    await toast(page, 'Prices saved.').waitFor()
    const { prices } = await stored()
    expect(prices).toContainEqual({
      provider: 'acme',
      model: 'one, two',
      from: '2026-02-03',
      input_usd_per_million: 1,
      output_usd_per_million: 2,
    })
    const mini = (prices as { model: string; from: string }[]).filter(({ model }) => model === 'gpt-4o-mini')
    expect(mini.map(({ from }) => from)).toEqual(['2026-01-01'])
    await settings.group('Prices').getByText('Changed by admin').waitFor()
    await close()
  })

  it('opens the group in the address, and asks before unsaved changes are discarded', async () => {
    const { page, settings, close } = await open('#token')
    const top = async () => (await settings.group('Service token').boundingBox())?.y
    await settings.group('About').waitFor()
    await eventually(top).toBeLessThan(150)
    await settings.days.fill('77')
    await shell(page).link('Runs').click()
    await settings.dialog.dialog.getByText('Discard changes?').waitFor()
    await settings.dialog.button('Cancel').click()
    await settings.dialog.dialog.waitFor({ state: 'detached' })
    expect(await settings.days.inputValue()).toBe('77')
    await settings.group('Run log').getByRole('button', { name: 'Reset' }).click()
    await shell(page).link('Runs').click()
    await shell(page).heading('Runs').waitFor()
    await close()
  })

  it('shows others which role is needed and who can help', async () => {
    await call('POST /api/users', { username: 'emil', password: 'a phrase of emil 1', role: 'editor' })
    const editor = await shared.console.server.login('emil', 'a phrase of emil 1')
    const { page, part: settings, close } = await shared.open(settingsPage, '', editor)
    const refusal = page.getByTestId('forbidden')
    await refusal.getByText('This requires the role Admin; yours is Editor.').waitFor()
    await refusal.getByText('admin is an admin.').waitFor()
    await refusal.getByText('Only admins can view and change settings').waitFor()
    expect(await settings.group('Network').count()).toBe(0)
    expect(await shell(page).link('Settings').count()).toBe(0)
    await close()
  })

  it('shows versions and licences, passes axe with them, fits 640 px and shows the selected option in forced colors', async () => {
    const { page, settings, close } = await open('#about')
    await page.emulateMedia({ forcedColors: 'active' })
    const backgrounds = await page
      .locator('input[type="radio"]')
      .evaluateAll((radios) => radios.slice(0, 3).map((radio) => getComputedStyle(radio).backgroundColor))
    expect(new Set(backgrounds).size).toBe(2)
    await page.emulateMedia({ forcedColors: 'none' })
    const about = settings.group('About')
    expect(await about.getByRole('link', { name: '/docs' }).getAttribute('href')).toBe('/docs')
    expect(await page.title()).toBe('Settings · Promptdeck')
    await about.getByRole('button', { name: 'Show licences' }).click()
    // The other hundreds of packages look the same.
    await about.getByRole('textbox', { name: 'Find package' }).fill('kysely')
    await about.getByText(/^react-dom/).waitFor({ state: 'detached' })
    await about.getByText(/^kysely/).click()
    await about.getByText('Permission is hereby granted').waitFor()
    expect(await axeFaults(page, '#about')).toEqual([])
    await about.getByRole('textbox', { name: 'Find package' }).fill('react-dom')
    await about.getByText(/^react-dom/).waitFor()
    await page.getByRole('button', { name: 'Add price' }).click()
    await settings.dialog.field('Provider').waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 640, height: 800 })
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await eventually(overflow).toBeLessThanOrEqual(0)
    // Other tests use the page too.
    await page.setViewportSize({ width: 1440, height: 900 })
    await close()
  })
})
