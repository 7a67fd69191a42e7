import { beforeAll, describe, expect, it } from 'vitest'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { loginPage } from '../support/pages/login.ts'
import { providersPage } from '../support/pages/providers.ts'
import { settingsPage } from '../support/pages/settings.ts'
import { usersPage } from '../support/pages/users.ts'
import { toast } from '../support/parts.ts'
import { holdRequests } from '../support/replies.ts'
import { expectNoDialog, shell } from '../support/shell.ts'
import { openPath } from '../support/warm.ts'

describe('input and connection', { timeout: patience }, () => {
  const console = setUpConsole()
  let admin: { id: string; username: string; password: string; token: string }
  let prompt: string
  beforeAll(async () => {
    admin = await console.server.signedIn('admin', 'ada')
    const { prompts } = console.server.client()
    prompt = (await prompts.create({ body: { key: 'greet', content: 'One', env: 'dev', draft: true } })).data
      .id
  })

  it('keeps input while the service restarts, and sends it afterwards', async () => {
    const { server } = console
    const { page, close } = await console.visit(admin.token, { isSpoilt: true })
    await page.clock.install()
    const users = usersPage(page)
    await page.goto('/users')
    await page.clock.resume()
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    await users.add.click()
    await users.fill({ username: 'half', password: 'a phrase half typed', role: 'Editor' })
    const { port } = new URL(server.url)
    await server.stop()
    await eventually(() => shell(page).live.innerText()).not.toBe('Live')
    await page.clock.fastForward('00:05')
    await page.getByText('Connection lost.').waitFor()
    await users.submit()
    await users.dialog.alert.getByText('may not have been saved').waitFor()
    await users.dialog.field('Username').fill('half-a-user')
    await server.restart({ PORT: port })
    // Automatically, without Reconnect.
    await page.clock.fastForward('00:20')
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    await eventually(() => page.getByText('Connection lost.').count()).toBe(0)
    expect(await users.dialog.field('Username').inputValue()).toBe('half-a-user')
    await users.submit()
    await toast(page, 'half-a-user added.').waitFor()
    expect(await users.roleOf('half-a-user').innerText()).toContain('Editor')
    await close()
  })

  it('restores input after a session or a role was lost and returned, but to no other user', async () => {
    const { page, close } = await console.visit(admin.token)
    const users = usersPage(page)
    await users.goto('?role=viewer')
    await users.add.click()
    await users.fill({ username: 'kept', password: 'not kept at all', role: 'Editor' })
    await loginPage(page).endSession(console.server, admin)
    await loginPage(page).signIn(admin.username, admin.password)
    await users.dialog.dialog.getByText('have been restored').waitFor()
    expect(new URL(page.url()).search).toBe('?role=viewer')
    expect(await users.dialog.field('Username').inputValue()).toBe('kept')
    expect(await users.dialog.field(/^Password/).inputValue()).toBe('')
    expect(await users.dialog.dialog.getByRole('radio', { name: 'Editor' }).isChecked()).toBe(true)
    const give = (role: string) => console.server.call(`PATCH /api/users/${admin.id}`, { body: { role } })
    await give('editor')
    await page.getByText('Your unsaved changes are kept').waitFor()
    await give('admin')
    await users.dialog.dialog.getByText('have been restored').waitFor()
    expect(await users.dialog.field('Username').inputValue()).toBe('kept')
    const bob = await console.server.signedIn('admin', 'bob')
    await loginPage(page).endSession(console.server, admin)
    await loginPage(page).signIn(bob.username, bob.password)
    await shell(page).live.getByText('Live', { exact: true }).waitFor()
    await expectNoDialog(page)
    await close()
    admin = { ...admin, token: await console.server.login(admin.username, admin.password) }
  })

  it('restores unsaved settings, with a dialog that was open', async () => {
    const eve = await console.server.signedIn('admin', 'eve')
    const { page, close } = await console.visit(eve.token)
    const settings = settingsPage(page)
    await settings.goto()
    await page.getByLabel('Keep runs for').fill('45')
    await page.locator('#payload_max_mb').fill('77')
    await page.getByRole('radio', { name: /^Viewer/ }).check()
    await page.getByRole('button', { name: 'Add price' }).click()
    const model = page.getByRole('dialog').getByRole('textbox', { name: 'Model' })
    await model.fill('half-a-mod')
    await loginPage(page).endSession(console.server, eve)
    await loginPage(page).signIn(eve.username, eve.password)
    await page.getByRole('dialog').getByText('have been restored').waitFor()
    expect(await model.inputValue()).toBe('half-a-mod')
    expect(await page.getByLabel('Keep runs for').inputValue()).toBe('45')
    expect(await page.locator('#payload_max_mb').inputValue()).toBe('77')
    expect(await page.getByRole('radio', { name: /^Viewer/, includeHidden: true }).isChecked()).toBe(true)
    await close()
  })

  it.each(['Add provider', 'Set up OpenAI'])(
    'restores the form of %s, without the API key',
    async (button) => {
      const { id, username, password, token } = await console.server.signedIn('admin')
      const { page, close } = await console.visit(token)
      const { goto, form, ...providers } = providersPage(page)
      await goto()
      await providers.button(button).click()
      await form.address.fill('https://models.example.com/v1')
      await form.key.fill('half-a-key')
      await loginPage(page).endSession(console.server, { id })
      await loginPage(page).signIn(username, password)
      await form.dialog.getByText('have been restored').waitFor()
      expect(await form.address.inputValue()).toBe('https://models.example.com/v1')
      expect(await form.key.inputValue()).toBe('')
      await close()
    },
  )

  it('asks once before the typed text of a dialog is lost', async () => {
    const { page, close } = await console.visit(admin.token)
    for (const [path, opener, field] of [
      ['/prompts', 'Import', 'Or paste'],
      [`/prompts/${prompt}`, 'Publish', 'Message (optional)'],
      [`/prompts/${prompt}?open=publish`, null, 'Message (optional)'],
      ['/playground', 'Test cases', 'Expected result'],
    ] as const) {
      await openPath(page, path)
      if (opener !== null) await page.getByRole('button', { name: opener, exact: true }).first().click()
      const form = page.getByRole('dialog').filter({ has: page.getByRole('textbox', { name: field }) })
      await form.getByRole('textbox', { name: field }).fill('half typed')
      const question = page.getByRole('dialog', { name: 'Discard changes?' })
      await page.keyboard.press('Escape')
      await question.getByRole('button', { name: 'Cancel' }).click()
      expect(await form.getByRole('textbox', { name: field }).inputValue(), path).toBe('half typed')
      await form.getByRole('button', { name: 'Close' }).click()
      await question.getByRole('button', { name: 'Discard' }).click()
      await expectNoDialog(page)
    }
    await close()
  })

  it('waits once for all requests when the service replies 429, with one banner and few requests', async () => {
    const { page, close } = await console.visit(admin.token)
    let isBusy = true
    let requests = 0
    await page.route(/\/api\/(?!me)/, async (route) => {
      requests += 1
      if (!isBusy) return route.continue()
      await route.fulfill({ status: 429, headers: { 'retry-after': '2' }, body: '' })
    })
    await openPath(page, '/users')
    const banner = page.getByText(/The service is busy\. Trying again in \d+ seconds?\./)
    await banner.waitFor()
    expect(await banner.count()).toBe(1)
    const before = requests
    isBusy = false
    await usersPage(page).row('ada').waitFor()
    await eventually(() => banner.count()).toBe(0)
    // Each list was requested once before the wait and once after it.
    expect(before).toBeLessThanOrEqual(8)
    await close()
  })

  it('sends a form once, also while the machine has no network', async () => {
    const { page, close } = await console.visit(admin.token)
    const settings = settingsPage(page)
    await settings.goto()
    await settings.days.fill('95')
    await page.evaluate(() => dispatchEvent(new Event('offline')))
    await settings.save('Run log').click()
    await toast(page, 'Run log saved.').waitFor()
    const users = usersPage(page)
    await shell(page).link('Users').click()
    await users.add.click()
    await users.fill({ username: 'offline', password: 'a phrase of no network' })
    const held = await holdRequests(page, '**/api/users', 'POST')
    await users.dialog.dialog.locator('form').evaluate((form: HTMLFormElement) => {
      form.requestSubmit()
      form.requestSubmit()
    })
    await held.sent
    // The dialog stays until it can show the result.
    await page.keyboard.press('Escape')
    await page.goBack()
    expect(held.count).toBe(1)
    await page.context().setOffline(true)
    held.release()
    await users.dialog.alert.getByText('may not have been saved').waitFor()
    await page.context().setOffline(false)
    await users.submit()
    await toast(page, 'offline added.').waitFor()
    await close()
  })

  it('detects a dead connection and that the machine was suspended, and fetches what changed', async () => {
    const { page, close } = await console.visit(admin.token, { isSpoilt: true })
    await page.clock.install()
    let [sockets, lists, pongs, isDead] = [0, 0, 0, false]
    await page.routeWebSocket(/\/ws$/, (socket) => {
      sockets += 1
      const service = socket.connectToServer()
      socket.onMessage((frame) => isDead || service.send(frame))
      service.onMessage((frame) => {
        if (isDead) return
        socket.send(frame)
        if (JSON.parse(String(frame)).type === 'pong') pongs += 1
      })
    })
    page.on('request', (request) => {
      if (request.url().includes('/api/workspaces?')) lists += 1
    })
    await page.goto('/workspaces')
    await page.clock.resume()
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    // Silence is not death: the service replies to a ping.
    await page.clock.fastForward('00:30')
    await eventually(() => pongs).toBe(1)
    for (const span of ['00:15', '00:30']) await page.clock.fastForward(span)
    await eventually(() => pongs).toBe(2)
    expect(sockets).toBe(1)
    isDead = true
    await console.server.call('POST /api/workspaces', { body: { name: 'Meanwhile' } })
    for (const span of ['00:30', '00:15']) await page.clock.fastForward(span)
    await eventually(() => shell(page).live.innerText()).not.toBe('Live')
    isDead = false
    await page.clock.fastForward('00:25')
    await page.getByRole('row').filter({ hasText: 'Meanwhile' }).waitFor()
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    const before = { sockets, lists }
    await page.clock.fastForward('02:00:00')
    await eventually(() => sockets).toBe(before.sockets + 1)
    await eventually(() => lists).toBeGreaterThan(before.lists)
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    await close()
  })
})
