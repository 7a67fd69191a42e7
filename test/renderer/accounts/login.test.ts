import { describe, expect, it } from 'vitest'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { loginPage, mustChangePage } from '../support/pages/login.ts'
import { holdRequests } from '../support/replies.ts'
import { shell } from '../support/shell.ts'
import { openPath } from '../support/warm.ts'

describe('signing in', { timeout: patience }, () => {
  const console = setUpConsole()

  it('shows the default password on loopback while it is in use, and opens the requested page', async () => {
    const { page, faults, close } = await console.visit()
    const login = loginPage(page)
    // Loaded: after a sign-out, the console would open the Overview.
    await page.goto('/workspaces?sort=-name')
    await login.hint.waitFor()
    expect(await login.hint.innerText()).toContain('admin')
    await login.signIn('admin', 'admin')
    await shell(page).heading('Workspaces').waitFor()
    expect(new URL(page.url()).search).toBe('?sort=-name')
    expect(faults).toEqual([])
    await close()
  })

  it('reports missing input without a request, and the same error for an unknown user and a wrong password', async () => {
    const { page, close } = await console.visit()
    const login = loginPage(page)
    await login.open()
    await login.button.click()
    await page.getByText('Enter your username.').waitFor()
    await page.getByText('Enter your password.').waitFor()
    await login.signIn('admin', 'not it')
    await login.alert.waitFor()
    const wrongPassword = await login.alert.innerText()
    // The name is kept.
    expect(await login.username.inputValue()).toBe('admin')
    expect(await login.password.inputValue()).toBe('')
    await login.signIn('nobody', 'not it')
    await eventually(() => login.alert.innerText()).toBe(wrongPassword)
    await close()
  })

  it('requires a password change where needed, then continues', async () => {
    const password = 'a first phrase to replace'
    await console.server.call('POST /api/users', {
      body: { username: 'newcomer', password, role: 'viewer', must_change_password: true },
    })
    const { page, close } = await console.visit()
    const login = loginPage(page)
    await login.open('/workspaces')
    await login.signIn('newcomer', password)
    const must = mustChangePage(page)
    await must.title.waitFor()
    await must.change('not my password', 'a second phrase of mine')
    await page.getByText('This is not your current password.').waitFor()
    await must.change(password, 'a second phrase of mine')
    await shell(page).heading('Workspaces').waitFor()
    await close()
  })

  it('returns to the previous page after the session ended', async () => {
    const { username, password, token } = await console.server.signedIn('admin')
    const { page, close } = await console.visit(token)
    await openPath(page, '/workspaces')
    await shell(page).heading('Workspaces').waitFor()
    await console.server.call('POST /api/logout', { token })
    await page.getByText('Your session has ended.').waitFor()
    await loginPage(page).signIn(username, password)
    await shell(page).heading('Workspaces').waitFor()
    await close()
  })

  it('shares its session with a new tab, and signing out ends both, and drops what was not replied', async () => {
    const { token, username, password } = await console.server.signedIn('editor')
    const body = { key: 'ended', content: 'One', env: 'dev' as const }
    const { data } = await console.server.client().prompts.create({ body })
    const { page, close } = await console.visit(token)
    await page.goto('/workspaces')
    await shell(page).heading('Workspaces').waitFor()
    const second = await page.context().newPage()
    await second.goto(`/prompts/${data.id}`)
    const { sent, release } = await holdRequests(second, '**/api/prompts/*', 'DELETE')
    await second.getByRole('button', { name: 'Actions for ended' }).click()
    await second.getByRole('menuitem', { name: 'Delete' }).click()
    await second.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await sent
    await shell(page).signOut()
    await loginPage(page).button.waitFor()
    await loginPage(second).button.waitFor()
    // Nobody else may see what the user did, or restore the prompt.
    const reply = second.waitForResponse((response) => response.request().method() === 'DELETE')
    release()
    await (await reply).finished()
    await loginPage(second).signIn(username, password)
    await shell(second).heading('Overview').waitFor()
    expect(await second.locator('[role="dialog"], [data-testid="toast"]').count()).toBe(0)
    const me = await console.server.call('GET /api/me', { token })
    expect(me.status).toBe(401)
    await close()
  })

  it('works if the browser blocks its storage', async () => {
    const { username, password } = await console.server.signedIn('editor')
    const { page: other, close } = await console.visit()
    const page = await other.context().newPage()
    await page.addInitScript(() => {
      const get = () => {
        throw new DOMException('Blocked', 'SecurityError')
      }
      const blocked = { localStorage: { get }, sessionStorage: { get }, indexedDB: { get } }
      Object.defineProperties(window, blocked)
    })
    const login = loginPage(page)
    await login.open('/playground')
    await login.signIn(username, password)
    await shell(page).heading('Playground').waitFor()
    await close()
  })

  it('never redirects to another origin', async () => {
    const { username, password } = await console.server.signedIn('viewer')
    const { page, close } = await console.visit()
    const login = loginPage(page)
    await login.open('/login?return=//example.org/')
    await login.signIn(username, password)
    await shell(page).heading('Overview').waitFor()
    expect(new URL(page.url()).origin).toBe(console.server.url)
    await close()
  })
})
