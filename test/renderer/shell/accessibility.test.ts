import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { type Console, openConsole, patience } from '../support/console.ts'
import { loginPage } from '../support/pages/login.ts'
import { usersPage } from '../support/pages/users.ts'
import { workspacesPage } from '../support/pages/workspaces.ts'

describe('axe finds nothing', { timeout: patience }, () => {
  let console: Console
  let admin: string
  beforeAll(async () => {
    console = await openConsole()
    admin = await console.server.login('admin', 'admin')
    await console.server.signedIn('viewer')
    // A name that is not part of a role's name.
    await console.server.signedIn('editor', 'grace')
  })
  afterAll(() => console.close())

  it('on Login', async () => {
    const { page, close } = await console.visit()
    await loginPage(page).open()
    await loginPage(page).hint.waitFor()
    await loginPage(page).signIn('admin', 'wrong')
    await loginPage(page).alert.waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })

  it('in the drawer of a user, its form and its confirmation', async () => {
    const { page, close } = await console.visit(admin)
    const users = usersPage(page)
    await users.goto()
    await users.open('viewer-1')
    await users.drawer.drawer.getByText('Sessions', { exact: true }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await users.drawer.action('Edit').click()
    await users.dialog.field('Username').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await users.drawer.action('Delete').click()
    await users.dialog.button('Delete').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })

  it('in the drawer of a workspace', async () => {
    const { page, close } = await console.visit(admin)
    const workspaces = workspacesPage(page)
    await workspaces.goto('/default')
    await workspaces.drawer.drawer.getByText('Contents').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })
})
