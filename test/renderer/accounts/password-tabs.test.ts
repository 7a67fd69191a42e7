import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { movableClock } from '../../support/scenario.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { loginPage, mustChangePage } from '../support/pages/login.ts'
import { workspacesPage } from '../support/pages/workspaces.ts'
import { toast } from '../support/parts.ts'
import { shell } from '../support/shell.ts'
import { openPath } from '../support/warm.ts'

const tokenOf = (page: Page): Promise<string | null> =>
  page.evaluate(() => sessionStorage.getItem('promptdeck.token'))

describe('A password change in one of two tabs', { timeout: patience }, () => {
  const time = movableClock()
  const console = setUpConsole({ substitutes: { clock: time.clock } })

  it('keeps both signed in with a new token, ends the old one after a minute, and other sessions immediately', async () => {
    const { server } = console
    const ada = await server.signedIn('editor', 'ada')
    const elsewhere = await console.visit(await server.login(ada.username, ada.password))
    await openPath(elsewhere.page, '/runs')
    await shell(elsewhere.page).heading('Runs').waitFor()
    const { page, faults, close } = await console.visit(ada.token)
    await page.goto('/profile')
    const second = await page.context().newPage()
    await second.goto('/workspaces')
    const workspaces = workspacesPage(second)
    await workspaces.create.click()
    await workspaces.dialog.field('Name').fill('Typed before')
    const statusOf = async (token: string) => (await server.call('GET /api/me', { token })).status

    await mustChangePage(page).change(ada.password, 'quiet rivers run deep')
    await toast(page, 'Password changed. Your other sessions were ended.').waitFor()
    await loginPage(elsewhere.page).button.waitFor()
    await eventually(() => tokenOf(second)).not.toBe(ada.token)
    expect(await tokenOf(second)).toBe(await tokenOf(page))
    // Requests in progress with the old token still complete.
    expect(await statusOf(ada.token)).toBe(200)

    time.pass(61_000)
    expect(await statusOf(ada.token)).toBe(401)
    await workspaces.dialog.button('Create workspace').click()
    await eventually(() => workspaces.drawer.title.innerText()).toBe('Typed before')
    await shell(second).live.getByText('Live', { exact: true }).waitFor()
    for (const tab of [page, second]) {
      await tab.reload()
      await shell(tab).live.getByText('Live', { exact: true }).waitFor()
    }
    expect(faults).toEqual([])
    await elsewhere.close()
    await close()
  })

  it('shows at the field why a password is rejected, and changes nothing', async () => {
    const bea = await console.server.signedIn('viewer', 'quillonx')
    const { page, close } = await console.visit(bea.token)
    await openPath(page, '/profile')
    await mustChangePage(page).change(bea.password, 'quillonx2026')
    await page.getByText('The password consists mainly of the username').waitFor()
    expect(await tokenOf(page)).toBe(bea.token)
    await console.server.login(bea.username, bea.password)
    await close()
  })
})
