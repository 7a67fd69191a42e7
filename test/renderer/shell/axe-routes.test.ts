import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressesOf, type Content, consoleRoutes, makeContent } from '../../support/routes.mjs'
import { axeFaults, dialogAndDrawer, openDialog } from '../support/axe.ts'
import { patience, setUpConsole } from '../support/console.ts'
import { type App, connectApp } from '../support/pages/clients.ts'
import { loginPage } from '../support/pages/login.ts'
import { openPath } from '../support/warm.ts'

const routes = consoleRoutes()

/** A dialog, panel or drawer: the route under it, further parameters of its address, and how it opens. */
type Overlay = {
  readonly name: string
  readonly route: string
  /** Appended to the address of the route. */
  readonly suffix?: string
  readonly open: (page: Page) => Promise<void>
  /** Selects what is checked; by default the dialog. */
  readonly within?: string
}

/** Pages for people who are not signed in. */
const anonymous: readonly string[] = ['/login', '/pair', '/reset']

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first()

/** Opens a dialog by a button. */
const byButton =
  (name: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await button(page, name).click()
    await page.locator('[role="dialog"]').last().waitFor()
  }

/** Opens a dialog by an entry of a menu. */
const byMenu =
  (menu: string | RegExp, entry: string) =>
  async (page: Page): Promise<void> => {
    await button(page, menu).click()
    await page.getByRole('menuitem', { name: entry }).click()
    await page.locator('[role="dialog"]').last().waitFor()
  }

/** Opens the drawer of the first row, and what a button in it opens. */
const byRow =
  (...buttons: readonly (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    await page.locator('tbody tr[data-row-id] td[data-col]').first().click()
    await page.getByTestId('drawer').waitFor()
    for (const name of buttons) await page.getByTestId('drawer').getByRole('button', { name }).first().click()
  }

/** Those that no test of their page checks. The pages behind them are routes. */
const overlays: readonly Overlay[] = [
  { name: 'keyboard shortcuts', route: '/', open: (page) => page.keyboard.press('?') },
  { name: 'run to compare with', route: '/runs/{-$id}', open: byRow(/^Compare with/), within: 'html' },
  { name: 'restore', route: '/audit/{-$id}', suffix: '?action=publish', open: byRow('Restore…') },
  { name: 'alert form', route: '/alerts/{-$id}', open: byButton('Create alert') },
  {
    name: 'publish with includers',
    route: '/prompts/$id',
    suffix: 'draft?open=publish',
    open: async (page) => {
      await page.getByTestId('included-by').waitFor()
    },
  },
  {
    name: 'promote',
    route: '/prompts/$id',
    suffix: 'draft?tab=versions',
    open: byButton('Promote to test'),
  },
  { name: 'create workflow', route: '/workflows', open: byButton('Create workflow') },
  { name: 'create agent', route: '/agents', open: byButton('Create agent') },
  { name: 'revoke an API token', route: '/tokens', open: byMenu(/^Actions for the API token/, 'Revoke…') },
  { name: 'add user', route: '/users/{-$id}', open: byButton('Add user') },
  { name: 'edit user', route: '/users/{-$id}', open: byRow('Edit'), within: dialogAndDrawer },
  { name: 'delete user', route: '/users/{-$id}', open: byRow('Delete') },
]

describe('axe finds nothing in both color schemes', { timeout: patience * 2 }, () => {
  const console = setUpConsole()
  let admin: string
  let newcomer: string
  let app: App
  let content: Content
  let addresses: Readonly<Record<string, string>>

  beforeAll(async () => {
    content = await makeContent(async (method, path, body) => {
      const reply = await console.server.call(`${method} ${path}`, { body })
      if (reply.status >= 300) throw new Error(`${method} ${path} answered ${reply.status}: ${reply.text}`)
      return reply.body
    })
    addresses = addressesOf(content)
    app = await connectApp(console.server, 'checkout', { namespace: 'prod', keys: ['support/answer'] })
    admin = (await console.server.signedIn('admin', 'ada')).token
    const body = { username: 'newcomer', password: 'a phrase for the first day', role: 'viewer' }
    await console.server.call('POST /api/users', { body: { ...body, must_change_password: true } })
    newcomer = await console.server.login(body.username, body.password)
  })
  afterAll(() => app.disconnect())

  /** Opens an address as the user who may see it, and waits until nothing loads any more. */
  async function open(route: string, address: string) {
    const token = anonymous.includes(route) ? null : route === '/password' ? newcomer : admin
    const visit = await console.visit(token)
    const { page } = visit
    await openPath(page, address)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await settled(page)
    return visit
  }
  const settled = (page: Page) =>
    page.waitForFunction(
      () =>
        document.querySelector('.mantine-Skeleton-root, [aria-busy="true"], [data-loading="true"]') === null,
    )

  it('has an address for every route', () => {
    expect(Object.keys(addresses).sort()).toEqual(routes)
  })

  it.each(routes)('on %s', async (route) => {
    const { page, faults, close } = await open(route, addresses[route] ?? route)
    expect(await axeFaults(page)).toEqual([])
    expect(faults).toEqual([])
    await close()
  })

  it.each(overlays)('in $name', async ({ route, suffix = '', open: openOverlay, within = openDialog }) => {
    const base = addresses[route] ?? route
    const address = suffix.startsWith('draft') ? `/prompts/${content.draft}${suffix.slice(5)}` : base + suffix
    const { page, close } = await open(route, address)
    await openOverlay(page)
    await settled(page)
    expect(await axeFaults(page, within)).toEqual([])
    await close()
  })

  it('after a failed sign-in', async () => {
    const { page, close } = await open('/login', '/login')
    await loginPage(page).signIn('admin', 'wrong')
    await loginPage(page).alert.waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })
})
