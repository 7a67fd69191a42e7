import { beforeAll, describe, expect, it } from 'vitest'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { palettePart } from '../support/palette.ts'
import { holdRequests, restoreReplies } from '../support/replies.ts'
import { endWait, shell } from '../support/shell.ts'

describe('the first load', { timeout: patience }, () => {
  const console = setUpConsole()
  let admin: string
  beforeAll(async () => {
    admin = await console.server.login('admin', 'admin')
  })

  it('requests alerts, notices and the state of the store after the data of the page', async () => {
    const { page, close } = await console.visit(admin)
    const events: string[] = []
    page.on('request', (request) => events.push(`sent ${new URL(request.url()).pathname}`))
    page.on('requestfinished', (request) => events.push(`received ${new URL(request.url()).pathname}`))
    await page.goto('/users')
    await eventually(() => events).toContain('received /api/me/sign-ins')
    const dataAt = events.indexOf('received /api/users')
    expect(dataAt).toBeGreaterThan(0)
    for (const later of ['/api/alerts/events', '/api/settings/deletion', '/health', '/api/me/sign-ins'])
      expect(events.indexOf(`sent ${later}`), later).toBeGreaterThan(dataAt)
    await close()
  })

  it('requests them although a request of the page does not end', async () => {
    const { page, close } = await console.visit(admin)
    const users = await holdRequests(page, '**/api/users?**')
    const alerts = page.waitForRequest('**/api/alerts/events?**')
    await page.goto('/users')
    await users.sent
    await alerts
    users.release()
    await restoreReplies(page)
    await close()
  })

  it('shows the first step of Getting started before the others are loaded', async () => {
    const { page, close } = await console.visit(admin)
    const prompts = await holdRequests(page, '**/api/prompts?limit=1')
    await page.goto('/')
    await page.getByText('Until then, anyone on this machine can sign in').waitFor()
    await prompts.sent
    expect(await page.getByTestId('first-run').count()).toBe(0)
    prompts.release()
    await page.getByTestId('first-run').getByText('0 of 5 done').waitFor()
    await restoreReplies(page)
    await close()
  })

  it('offers to reload if the code of the console, or of a page, cannot be loaded', async () => {
    const { page, close } = await console.visit()
    const reload = page.getByRole('button', { name: 'Reload' })
    await page.route('**/assets/theme-*.js', (route) => route.abort())
    await page.goto('/login')
    await page.getByRole('main').getByText('The console could not be loaded').waitFor()
    await restoreReplies(page)
    await page.route('**/assets/LoginPage-*.js', (route) => route.abort())
    await reload.click()
    await page.getByRole('main').getByText('Reload the page.').waitFor()
    await restoreReplies(page)
    await reload.click()
    await page.locator('#password').waitFor()
    await close()
  })

  it('offers to reload if the code for the desktop app cannot be loaded', async () => {
    const { page, close } = await console.visit(null, { isSpoilt: true })
    await page.addInitScript('window.promptdeck = { state: async () => ({}), onOpen: () => undefined }')
    await page.route('**/assets/desktop-*.js', (route) => route.abort())
    await page.goto('/login')
    await page.getByRole('heading', { name: 'The console could not be loaded' }).waitFor()
    await page.getByText('desktop-').waitFor()
    await restoreReplies(page)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.locator('#password').waitFor()
    await close()
  })

  it('keeps the frame if the code of a page cannot be loaded, and loads it when the service is back', async () => {
    const { server } = console
    const { page, close } = await console.visit(admin)
    await page.goto('/users')
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    const { port } = new URL(server.url)
    await server.stop()
    await eventually(() => shell(page).live.innerText()).not.toBe('Live')
    await shell(page).link('Audit').click()
    const failure = page.getByTestId('error')
    await failure.getByText('The service cannot be reached', { exact: true }).waitFor()
    await server.restart({ PORT: port })
    // The page may reconnect before the click. The button then disappears.
    await shell(page)
      .live.or(page.getByRole('button', { name: 'Reconnect' }))
      .last()
      .click()
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    await failure.getByRole('button', { name: 'Retry' }).click()
    await shell(page).heading('Audit').waitFor()
    await close()
  })

  it('keeps the page if parts of the frame cannot be loaded, and loads them when the service is back', async () => {
    const { server } = console
    const { page, close } = await console.visit(admin)
    const refused = (part: string) =>
      page.waitForEvent('requestfailed', (request) => request.url().includes(`/assets/${part}-`))
    await page.route(/\/assets\/(BellPanel|Palette|SignInNotices)-.*\.js$/, (route) => route.abort())
    const all = Promise.all(['BellPanel', 'Palette', 'SignInNotices'].map(refused))
    await page.goto('/users')
    await all
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    const again = refused('Palette')
    await page.keyboard.press('ControlOrMeta+k')
    await again
    await page.getByTestId('bell').click()
    const panel = page.getByRole('dialog', { name: 'Alerts' })
    await panel.getByText('It loads when the service is available.').waitFor()
    expect(await palettePart(page).field.count()).toBe(0)
    expect(await shell(page).heading('Users').count()).toBe(1)
    expect(await page.getByTestId('error').count()).toBe(0)

    const { port } = new URL(server.url)
    await server.stop()
    await eventually(() => shell(page).live.innerText()).not.toBe('Live')
    await restoreReplies(page)
    await server.restart({ PORT: port })
    await endWait(page)
    await panel.getByText('No alert has fired').waitFor()
    await page.getByTestId('bell').click()
    await panel.waitFor({ state: 'detached' })
    await palettePart(page).open()
    await close()
  })
})
