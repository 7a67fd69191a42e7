import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually, openConsole, patience, setUpConsole } from '../support/console.ts'
import { drawerPart } from '../support/parts.ts'
import { holdRequests } from '../support/replies.ts'
import { shell } from '../support/shell.ts'
import { followPath, openPath } from '../support/warm.ts'

describe('the shell', { timeout: patience }, () => {
  const console = setUpConsole()
  let viewer: string
  let admin: string
  beforeAll(async () => {
    viewer = (await console.server.signedIn('viewer')).token
    admin = (await console.server.signedIn('admin')).token
    await console.server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
  })

  const all = [
    'Promptdeck, Overview',
    'Overview',
    'Statistics',
    'Runs',
    'Clients',
    'Alerts',
    'Audit',
    'Prompts',
    'Playground',
    'Agents',
    'Workflows',
    'Workspaces',
  ]
  const shownLinks = async (page: Page) => {
    await shell(page).link('Workspaces').waitFor()
    return shell(page).links.evaluateAll((links) =>
      links.map((link) => link.getAttribute('aria-label') ?? (link.textContent ?? '').replace(/\d+$/, '')),
    )
  }

  it('shows an admin all pages, and marks the item of a page that is not in the navigation', async () => {
    const { page, close } = await console.visit(admin)
    await openPath(page, '/workspaces')
    const more = ['Users', 'Devices', 'API tokens', 'Model providers', 'Settings']
    expect(await shownLinks(page)).toEqual([...all, ...more])
    for (const [path, item] of [
      ['/sessions', 'Runs'],
      ['/alert-history', 'Alerts'],
      ['/traces/x', 'Runs'],
      ['/workflow-runs/x', 'Workflows'],
    ] as const) {
      await followPath(page, path)
      await eventually(() => page.locator('nav [aria-current=page]').allInnerTexts()).toEqual([
        expect.stringContaining(item),
      ])
    }
    await close()
  })

  it('shows a viewer fewer pages, keeps the workspace between them, and has a page for unknown addresses', async () => {
    const { page, close } = await console.visit(viewer)
    await openPath(page, '/workspaces')
    expect(await shownLinks(page)).toEqual(all)
    await shell(page).chooseWorkspace('Team Blue')
    await eventually(() => new URL(page.url()).search).toBe('?workspace=team-blue')
    await shell(page).link('Runs').click()
    await page.waitForURL('**/runs?workspace=team-blue')
    await shell(page).chooseWorkspace('All workspaces')
    await page.waitForURL((url) => url.pathname === '/runs' && url.search === '')
    await followPath(page, '/no/such/page')
    await page.getByText('Page not found').waitFor()
    await page.getByRole('link', { name: 'Go to Overview' }).click()
    await shell(page).heading('Overview').waitFor()
    await close()
  })

  it('opens pages by g and a letter, lists its keys, and Escape closes only the topmost layer', async () => {
    const { page, close } = await console.visit(admin)
    await openPath(page, '/workspaces/default')
    const { drawer } = drawerPart(page)
    await drawer.waitFor()
    await shell(page).keys('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await keys.waitFor()
    await shell(page).keys('Escape')
    await keys.waitFor({ state: 'detached' })
    expect(await drawer.count()).toBe(1)
    await shell(page).keys('Escape')
    await drawer.waitFor({ state: 'detached' })
    await shell(page).keys('g', 'u')
    await shell(page).heading('Users').waitFor()
    await shell(page).keys('/', 'g', 'w')
    expect(await page.getByRole('textbox', { name: 'Search usernames' }).inputValue()).toBe('gw')
    await close()
  })

  it('follows the system, keeps a chosen theme, and applies it before the first paint', async () => {
    const { page, close } = await console.visit(viewer, { colorScheme: 'dark' })
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
    await openPath(page, '/workspaces')
    await shell(page).heading('Workspaces').waitFor()
    expect(await scheme()).toBe('dark')
    await shell(page).chooseScheme('Light')
    await eventually(scheme).toBe('light')
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.reload()
    expect(await scheme()).toBe('light')
    await close()
  })

  it('ends one session from the profile', async () => {
    const { username, password, token } = await console.server.signedIn('editor')
    const other = await console.server.login(username, password)
    const { page, close } = await console.visit(token)
    await openPath(page, '/profile')
    await page.getByRole('button', { name: 'End session', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await expect
      .poll(async () => (await console.server.call('GET /api/me', { token: other })).status)
      .toBe(401)
    expect((await console.server.call('GET /api/me', { token })).status).toBe(200)
    await close()
  })

  it('collapses to icons and to a drawer', async () => {
    const { page, close } = await console.visit(viewer, { width: 900 })
    await openPath(page, '/workspaces')
    await shell(page).link('Workspaces').waitFor()
    expect((await shell(page).nav.boundingBox())?.width).toBeLessThan(60)
    // Text of twice the size must not cover its button.
    const excess = await page.locator('header kbd').evaluate((keys) => {
      document.documentElement.style.fontSize = '32px'
      const field = keys.parentElement?.getBoundingClientRect().height ?? 0
      const excess = keys.getBoundingClientRect().height - field
      document.documentElement.style.fontSize = ''
      return excess
    })
    expect(excess).toBeLessThan(0)
    await page.setViewportSize({ width: 700, height: 800 })
    await eventually(() => shell(page).nav.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await shell(page).link('Runs').getByText('Runs').click()
    await page.waitForURL('**/runs')
    await close()
  })

  it('fits names of the maximum length at 320 px', async () => {
    const { call, signedIn } = console.server
    const long = 'm'.repeat(128)
    await call('PATCH /api/workspaces/default', { body: { capture: 'full' } })
    const prompt = await call('POST /api/prompts', { body: { key: 'k'.repeat(200), content: `{{${long}}}` } })
    const agent = await call('POST /api/agents', { body: { key: 'narrow/agent', content: 'x' } })
    const steps = [{ name: 'one', type: 'model' }]
    const flow = await call('POST /api/workflows', { body: { key: 'narrow/flow', steps } })
    const tool_calls = [{ id: '1', type: 'function', function: { name: long, arguments: '{}' } }]
    const input = [{ role: 'assistant', content: '', tool_calls }]
    const names = { provider: 'openai', model: long, app: long, ref_key: long, session_id: long }
    const run = await call('POST /api/runs', { body: { ...names, latency_ms: 1, status: 'ok', input } })
    const { page, close } = await console.visit((await signedIn('admin')).token, { width: 320, height: 440 })
    const pages = [
      [`/prompts/${prompt.body.data.id}`, /^1 missing value/],
      [`/sessions/${long}`, 'Tool call:'],
      [`/agents/${agent.body.data.id}`, 'narrow/agent'],
      [`/workflows/${flow.body.data.id}`, 'narrow/flow'],
      ['/clients', 'Recently disconnected'],
      [`/runs/${run.body.data.id}`, 'Newer run of this key'],
    ] as const
    await openPath(page, '/profile')
    for (const [path, text] of pages) {
      await followPath(page, path)
      await page.getByText(text).first().waitFor()
      const wide = await page.locator(':not(:has(> table))').evaluateAll((elements) =>
        elements
          .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX))
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ className }) => className),
      )
      expect.soft(wide, path).toEqual([])
    }
    const drawer = page.getByTestId('drawer')
    await page.mouse.move(160, 300)
    await page.mouse.wheel(0, 400)
    await eventually(() => drawer.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0)
    await drawer.getByRole('button', { name: 'Close', exact: true }).click()
    await close()
  })

  it('shows progress only for slow operations', async () => {
    const { page, close } = await console.visit(admin)
    const { release } = await holdRequests(page, '**/api/workspaces?*')
    await openPath(page, '/workspaces')
    await page.getByTestId('progress').waitFor()
    release()
    await page.getByRole('row').filter({ hasText: 'Team Blue' }).waitFor()
    await eventually(() => page.getByTestId('progress').count()).toBe(0)
    await close()
  })
})

describe('the shell of a new service', { timeout: patience }, () => {
  it('asks admins to change the default password, and stops once it is changed', async () => {
    const unconfigured = await openConsole({ env: { SERVICE_TOKEN: '' } })
    const { page } = await unconfigured.visit(await unconfigured.server.login('admin', 'admin'))
    await openPath(page, '/profile')
    await page.getByText('The built-in admin password and service token are still active.').waitFor()
    await page.getByRole('textbox', { name: 'Current password' }).fill('admin')
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill('a phrase of the owner')
    await page.getByRole('textbox', { name: 'Repeat new password' }).fill('a phrase of the owner')
    await page.keyboard.press('Enter')
    const banner = page.getByText('The built-in service token is still active.')
    await banner.waitFor()
    // The window at 400% zoom.
    await page.setViewportSize({ width: 320, height: 256 })
    await page.getByTestId('bell').click()
    await page.getByText('Show history').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    await openPath(page, '/users')
    await page.mouse.move(160, 250)
    await eventually(async () => {
      await page.mouse.wheel(0, 160)
      return (await banner.boundingBox())?.y
    }).toBeLessThan(0)
    await page.getByRole('cell', { name: 'admin', exact: true }).click()
    expect((await page.getByTestId('drawer').boundingBox())?.y).toBe(48)
    await unconfigured.close()
  })
})
