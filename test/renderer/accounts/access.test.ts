import { beforeAll, describe, expect, it } from 'vitest'
import { createMember } from '../../server/access/access-support.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { usersPage } from '../support/pages/users.ts'
import { filterPart } from '../support/parts.ts'
import { followPath, openPath } from '../support/warm.ts'

describe('Access to workspaces', { timeout: patience }, () => {
  const console = setUpConsole()
  let admin: string
  let support: string
  let billing: string
  const add = async (name: string) =>
    (await console.server.call('POST /api/workspaces', { body: { name } })).body.data.id as string
  beforeAll(async () => {
    admin = await console.server.login('admin', 'admin')
    support = await add('Support')
    billing = await add('Billing')
  })

  it('gives a new user a table of workspaces with roles, and shows it in the list', async () => {
    const { page, faults, close } = await console.visit(admin)
    const users = usersPage(page)
    await users.goto('')
    await users.add.click()
    await users.dialog.field('Username').fill('lena')
    await users.dialog.field('Password').fill('a phrase nobody guesses')
    const dialog = page.getByRole('dialog', { name: 'Add user' })
    await dialog.getByRole('radio', { name: 'Listed workspaces' }).check()
    await dialog.getByText('No workspace is visible until you add one.').waitFor()
    const closing = await add('Closing')
    for (const name of ['Support', 'Billing', 'Closing']) {
      await dialog.getByRole('combobox', { name: 'Add workspace' }).click()
      await page.getByRole('option', { name }).click()
    }
    await dialog.getByRole('combobox', { name: 'Role in Support' }).click()
    await page.getByRole('option', { name: 'Editor' }).click()
    await dialog.getByRole('button', { name: 'Remove Billing' }).click()
    await console.server.call(`DELETE /api/workspaces/${closing}`)
    await dialog.getByRole('button', { name: 'Add user' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'memberships.1.workspace_id' }).waitFor()
    await dialog.getByRole('button', { name: `Remove ${closing}` }).click()
    await dialog.getByRole('button', { name: 'Add user' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { data } = await console.server.client().users.list({ query: { q: 'lena' } })
    expect(data).toMatchObject([
      { role: 'viewer', access: 'listed', memberships: [{ workspace_id: support, role: 'editor' }] },
    ])
    await page.getByText('1 workspace', { exact: true }).first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('gives a new API token the access of the dialog', async () => {
    const { page, close } = await console.visit(admin)
    await openPath(page, '/tokens')
    await page.getByRole('button', { name: 'Create API token' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Create API token' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('for support')
    await dialog.getByRole('radio', { name: 'Listed workspaces' }).check()
    await dialog.getByRole('combobox', { name: 'Add workspace' }).click()
    await page.getByRole('option', { name: 'Support' }).click()
    await dialog.getByRole('button', { name: 'Create API token' }).click()
    await eventually(
      async () => (await console.server.call('GET /api/tokens?q=support')).body.data[0]?.memberships,
    ).toEqual([{ workspace_id: support, role: 'viewer' }])
    await close()
  })

  it('shows a member only the listed workspaces, and enables buttons by the role in the selected one', async () => {
    const member = await createMember(console.server, 'marie', [
      { workspace_id: support, role: 'editor' },
      { workspace_id: billing, role: 'viewer' },
    ])
    const { page, faults, close } = await console.visit(member.token)
    await openPath(page, '/prompts?workspace=support')
    await page.getByRole('button', { name: /^Workspace: Support/ }).click()
    const menu = page.getByRole('menu')
    await menu.getByRole('menuitem', { name: 'Billing' }).waitFor()
    expect(await menu.getByRole('menuitem', { name: 'Default' }).count()).toBe(0)
    await menu.getByRole('menuitem', { name: 'All your workspaces' }).waitFor()
    const add = page.getByRole('button', { name: 'Create prompt' }).first()
    await eventually(() => add.getAttribute('aria-disabled')).toBe(null)
    await menu.getByRole('menuitem', { name: 'Billing' }).click()
    await eventually(() => add.getAttribute('aria-disabled')).toBe('true')
    expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0)
    expect(faults).toEqual([])
    await close()
  })

  it('asks a member without workspaces to contact an admin', async () => {
    const member = await createMember(console.server, 'nobody', [])
    const { page, close } = await console.visit(member.token)
    await openPath(page, '/prompts')
    await page.getByRole('button', { name: /^Workspace:/ }).click()
    await page.getByText('You have no workspaces yet. Ask an admin to give you access to one.').waitFor()
    await close()
  })

  it('offers every workspace, however many exist', async () => {
    for (let index = 0; index <= 200; index += 1) await add(`Team ${String(index).padStart(3, '0')}`)
    const { page, close } = await console.visit(admin)
    const users = usersPage(page)
    await users.goto('')
    await users.add.click()
    await users.dialog.choose('Listed workspaces')
    await users.dialog.dialog.getByRole('combobox', { name: 'Add workspace' }).fill('Team 200')
    await page.getByRole('option', { name: 'Team 200' }).click()
    await users.dialog.dialog.getByRole('combobox', { name: 'Role in Team 200' }).waitFor()
    await followPath(page, '/audit')
    const filters = filterPart(page)
    await filters.open('Workspace')
    await page.getByRole('combobox', { name: 'Workspace' }).fill('Team 200')
    await page.getByRole('option', { name: 'Team 200' }).click()
    await page.getByRole('button', { name: 'Apply' }).click()
    await filters.chip('Workspace').waitFor()
    expect(new URL(page.url()).search).toBe('?workspace=team-200')
    await close()
  })

  it('enables buttons of an item by the role in its workspace, while all are shown', async () => {
    const member = await createMember(console.server, 'mia', [
      { workspace_id: support, role: 'editor' },
      { workspace_id: billing, role: 'viewer' },
    ])
    const { page, close } = await console.visit(member.token)
    for (const [workspace_id, isDisabled] of [
      [billing, 'true'],
      [support, null],
    ]) {
      const key = isDisabled === null ? 'hello' : 'greet'
      const body = { workspace_id, key, env: 'dev', content: 'Hi' }
      const { id } = (await console.server.call('POST /api/prompts', { body })).body.data
      await console.server.call(`PATCH /api/prompts/${id}`, { body: { content: 'Hello' } })
      await openPath(page, `/prompts/${id}`)
      const publish = page.getByRole('button', { name: 'Publish' })
      await eventually(() => publish.getAttribute('aria-disabled')).toBe(isDisabled)
    }
    await followPath(page, '/prompts')
    for (const [key, isDisabled] of [
      ['greet', 'true'],
      ['hello', null],
    ]) {
      await page.getByRole('button', { name: `Actions for ${key}` }).click()
      for (const action of ['Duplicate', 'Move', 'Change tags', 'Delete'])
        await eventually(() =>
          page.getByRole('menuitem', { name: action }).getAttribute('aria-disabled'),
        ).toBe(isDisabled)
      await page.keyboard.press('Escape')
    }
    await page.getByRole('checkbox', { name: 'Select greet' }).check()
    const remove = page.getByTestId('bulk').getByRole('button', { name: 'Delete' })
    await eventually(() => remove.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('checkbox', { name: 'Select hello' }).check()
    await remove.click()
    const dialog = page.getByRole('dialog', { name: 'Delete 1 prompt?' })
    await dialog.getByText('Requires the role Editor; yours is Viewer.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create prompt' }).first().click()
    await page.getByRole('combobox', { name: 'Workspace' }).click()
    expect(await page.getByRole('listbox').getByRole('option').allInnerTexts()).toEqual(['Support'])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await followPath(page, `/workspaces/${billing}`)
    await eventually(() => page.getByRole('button', { name: 'Edit' }).getAttribute('aria-disabled')).toBe(
      'true',
    )
    await page.getByRole('row', { name: /^Support/ }).click()
    await eventually(() => new URL(page.url()).pathname).toBe(`/workspaces/${support}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByText('Changing the slug requires access to all workspaces.').waitFor()
    await page.keyboard.press('Escape')
    await followPath(page, '/alerts')
    await page.getByRole('button', { name: 'Create alert' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create alert' }).click()
    await page.getByText('Alert created.').or(page.getByTestId('drawer')).first().waitFor()
    expect((await console.server.call('GET /api/alerts')).body.data).toMatchObject([
      { workspace_id: support },
    ])
    await followPath(page, '/workspaces')
    await page.getByRole('button', { name: 'Create workspace' }).first().hover()
    await page.getByText('Requires the role Editor; yours is Viewer.').waitFor()
    await close()
  })
})
