import { beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { type Console, eventually, patience, setUpConsole } from '../support/console.ts'
import { drawerPart } from '../support/parts.ts'
import { expectNoDialog, shell } from '../support/shell.ts'
import { followPath, openPath } from '../support/warm.ts'

describe('viewing as another role', { timeout: patience }, () => {
  const console = setUpConsole()
  let admin: string
  beforeAll(async () => {
    admin = (await console.server.signedIn('admin', 'ada')).token
  })

  const viewAs = async (page: Awaited<ReturnType<Console['visit']>>['page'], role: string) => {
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: role, exact: true }).click()
    await page.getByText(`You are viewing the console as ${role}.`).waitFor()
  }

  it('shows what the role sees, survives a reload, sends nothing that the role may not, and ends', async () => {
    const { page, faults, close } = await console.visit(admin)
    const sent: string[] = []
    await openPath(page, '/workspaces/default')
    await drawerPart(page).drawer.waitFor()
    await viewAs(page, 'Viewer')
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await eventually(() => shell(page).link('Users').count()).toBe(0)
    await eventually(() => drawerPart(page).action('Edit').getAttribute('aria-disabled')).toBe('true')
    expect(await axeFaults(page)).toEqual([])
    await page.reload()
    await page.getByText('You are viewing the console as Viewer.').waitFor()
    await followPath(page, '/users')
    await page.getByTestId('forbidden').waitFor()
    expect(sent.filter((line) => line.includes('/api/users'))).toEqual([])
    expect(sent.filter((line) => !line.startsWith('GET'))).toEqual([])
    await page.getByRole('button', { name: 'Stop viewing' }).click()
    await shell(page).link('Users').waitFor()
    await page.getByRole('table', { name: 'Users' }).getByText('ada').first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('shows on focus which role is needed and who has it', async () => {
    const { page, close } = await console.visit(admin)
    await openPath(page, '/workspaces/default')
    await drawerPart(page).drawer.waitFor()
    await viewAs(page, 'Editor')
    const remove = drawerPart(page).action('Delete')
    await eventually(() => remove.getAttribute('aria-disabled')).toBe('true')
    // By keyboard, because focus after a click shows no tooltip.
    await page.keyboard.press('Tab')
    await remove.focus()
    const tooltip = page.getByRole('tooltip')
    await tooltip.getByText('Requires the role Admin; yours is Editor.').waitFor()
    await tooltip.getByText('ada and admin are admins.').waitFor()
    await page.keyboard.press('Enter')
    await expectNoDialog(page)
    await close()
  })

  it('is offered to admins only', async () => {
    const { page, close } = await console.visit((await console.server.signedIn('editor')).token)
    await openPath(page, '/workspaces')
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Profile' }).waitFor()
    expect(await page.getByText('View as').count()).toBe(0)
    await close()
  })
})
