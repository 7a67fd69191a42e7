import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openDb } from '../../../server/db/engines/sqljs/open.ts'
import { axeFaults, openDialog } from '../support/axe.ts'
import { patience, setUpConsole } from '../support/console.ts'
import { settingsPage } from '../support/pages/settings.ts'
import { usersPage } from '../support/pages/users.ts'
import { toast } from '../support/parts.ts'
import { followPath, openPath } from '../support/warm.ts'

describe('API tokens', { timeout: patience }, () => {
  const console = setUpConsole()
  let admin: string
  beforeAll(async () => {
    admin = (await console.server.signedIn('admin', 'ada')).token
    await console.server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
  })

  it('are created with limits, shown once, and revoked', async () => {
    const { page, faults, close } = await console.visit(admin)
    const settings = settingsPage(page)
    const { dialog } = settings
    // The earlier address of the list.
    await settings.goto('#tokens')
    await page.waitForURL('**/tokens')
    const group = page.getByRole('main')
    await group.getByText('No API tokens yet').waitFor()
    expect(await axeFaults(page)).toEqual([])

    await group.getByRole('button', { name: 'Create API token' }).first().click()
    await dialog.button('Create API token').click()
    await dialog.dialog.getByText('Enter a name.').waitFor()
    await dialog.field('Name').fill('checkout')
    await dialog.dialog.getByRole('combobox', { name: 'Workspace' }).click()
    await page.getByRole('option', { name: 'Team Blue' }).click()
    await dialog.dialog.getByRole('checkbox', { name: 'prod' }).check()
    await dialog.dialog.getByRole('combobox', { name: 'Expires' }).click()
    await page.getByRole('option', { name: 'In 30 days' }).click()
    await dialog.dialog.getByRole('combobox', { name: 'Gateway' }).click()
    await page.getByRole('option', { name: 'Allowed, with the provider keys of this service' }).click()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await dialog.button('Create API token').click()

    const secret = page.getByLabel('API token', { exact: true })
    await secret.waitFor()
    const token = await secret.inputValue()
    expect(token).toMatch(/^pd_api_/)
    expect(await axeFaults(page, openDialog)).toEqual([])
    await dialog.button('I have copied it').click()
    await dialog.dialog.waitFor({ state: 'detached' })

    const row = group.getByRole('row', { name: /checkout/ })
    const choose = async (action: string): Promise<void> => {
      await page.getByRole('button', { name: 'Actions for the API token checkout' }).click()
      await page.getByRole('menuitem', { name: action }).click()
    }
    await row.getByText('Team Blue').waitFor()
    await row.getByText('prod').waitFor()
    await row.getByText(`ends in ${token.slice(-4)}`).waitFor()
    await row.getByText('ada', { exact: true }).waitFor()
    expect(await page.content()).not.toContain(token)
    expect((await console.server.call('GET /api/me', { token })).body).toMatchObject({
      username: 'checkout',
    })

    await choose('Change gateway use…')
    await dialog.dialog.getByRole('combobox', { name: 'Gateway' }).click()
    await page.getByRole('option', { name: "Allowed, with the app's own provider keys" }).click()
    await dialog.button('Save').click()
    await row.getByText('Gateway, own keys').waitFor()

    await choose('Change budget…')
    await dialog.field('Tokens per day').fill('0')
    await dialog.button('Save').click()
    await dialog.dialog.getByText('Enter a number above 0').waitFor()
    await dialog.field('Tokens per day').fill('5000')
    await dialog.button('Save').click()
    await dialog.dialog.waitFor({ state: 'detached' })
    await choose('Change budget…')
    await dialog.dialog.getByText('0 of 5,000').waitFor()
    await dialog.dialog.getByRole('progressbar', { name: 'Tokens per day' }).waitFor({ state: 'attached' })
    expect(await axeFaults(page, openDialog)).toEqual([])
    await dialog.button('Cancel').click()

    await choose('Revoke…')
    await dialog.dialog.getByText('Apps that use it lose access').waitFor()
    await dialog.button('Revoke').click()
    await toast(page, 'API token revoked.').waitFor()
    await group.getByText('No API tokens yet').waitFor()
    expect((await console.server.call('GET /api/me', { token })).status).toBe(401)

    await followPath(page, '/audit')
    await page.getByText('ada revoked the API token checkout').first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('without an owner, from older versions, require a decision; others show their owner', async () => {
    const { server } = console
    const owner = await server.signedIn('admin', 'owen')
    const create = async (name: string, body: object = {}, token = owner.token): Promise<string> =>
      (await server.call('POST /api/tokens', { token, body: { name, role: 'editor', ...body } })).body.data.id
    const old = [await create('old-ci'), await create('old-app')]
    await create('shrinks')
    await create('steady', { binding: 'service' })
    await server.call(`PATCH /api/users/${owner.id}`, { body: { role: 'viewer' } })
    await server.stop()
    const { db } = await openDb({
      folder: join(server.dataDir, 'store'),
      maxStoreBytes: 1024 ** 3,
      logger: { info: () => {}, warn: () => {}, error: () => {} },
    })
    await db.write(({ q }) =>
      q
        .updateTable('api_tokens')
        .set({ binding: 'undecided', owner_kind: null, owner_id: null, expires_at: null })
        .where('id', 'in', old)
        .execute(),
    )
    await db.close()
    await server.restart()

    const { page, faults, close } = await console.visit(admin)
    const settings = settingsPage(page)
    const { dialog } = settings
    await openPath(page, '/tokens')
    const group = page.getByRole('main')
    await group.getByText('2 tokens require an owner').waitFor()
    const row = (name: string) => group.getByRole('row', { name: new RegExp(name) })
    await row('old-ci').getByText('Owner required').waitFor()
    await row('old-ci').getByText('Never', { exact: true }).last().waitFor()
    await row('shrinks').getByText('reduced from Editor').waitFor()
    await row('shrinks').getByText('owen').waitFor()
    await row('steady').getByText('No owner').waitFor()
    expect(await axeFaults(page)).toEqual([])

    await page.getByRole('button', { name: 'Choose owner of the API token old-ci' }).click()
    await dialog.dialog.getByRole('radio', { name: 'No owner' }).check()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await dialog.button('Save').click()
    await toast(page, 'old-ci saved.').waitFor()
    await row('old-ci').getByText('No owner').waitFor()
    await group.getByText('1 token requires an owner').waitFor()

    await page.getByRole('button', { name: 'Choose owner of the API token old-app' }).click()
    const user = dialog.dialog.getByRole('combobox', { name: 'User' })
    await user.fill('nobody-of-this-name')
    await page.getByText('No active user matches.').waitFor()
    await user.fill('ow')
    await page.getByRole('option', { name: /owen/ }).click()
    await dialog.dialog.getByText('Limits the token to Viewer, the role of owen.').waitFor()
    await dialog.button('Save').click()
    await row('old-app').getByText('owen').waitFor()
    await group.getByText(/owner required|requires an owner/i).waitFor({ state: 'detached' })

    await server.call(`PATCH /api/users/${owner.id}`, { body: { disabled: true } })
    await row('old-app').getByText('Owner disabled').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('follow the rules that an admin sets', async () => {
    const { page, faults, close } = await console.visit(admin)
    const settings = settingsPage(page)
    await settings.goto('#token_rules')
    const group = settings.group('API token rules')
    await group.getByRole('textbox', { name: 'Maximum lifetime' }).fill('60')
    await group.getByRole('checkbox', { name: 'Admin tokens can create admin tokens' }).check()
    expect(await axeFaults(page, '#token_rules')).toEqual([])
    await settings.save('API token rules').click()
    await toast(page, 'API token rules saved.').waitFor()
    expect((await console.server.call('GET /api/settings')).body.data).toMatchObject({
      api_token_max_days: 60,
      api_tokens_may_create_admins: true,
    })
    await group.getByRole('link', { name: 'Manage API tokens' }).click()
    await page.getByRole('button', { name: 'Create API token' }).first().click()
    await settings.dialog.dialog.getByRole('combobox', { name: 'Expires' }).click()
    await page.getByRole('option', { name: 'In 60 days (maximum)' }).waitFor()
    expect(await page.getByRole('option', { name: 'In 90 days' }).count()).toBe(0)
    expect(faults).toEqual([])
    await close()
  })

  it('are counted before their owners are disabled or deleted', async () => {
    const { server } = console
    const user = await server.signedIn('admin', 'leaver')
    await server.call('POST /api/tokens', { token: user.token, body: { name: 'nightly' } })
    const { page, faults, close } = await console.visit(admin)
    await openPath(page, `/users/${user.id}`)
    await page.getByRole('button', { name: 'Delete' }).first().click()
    const { dialog } = settingsPage(page)
    const users = usersPage(page)
    await dialog.dialog.getByText('1 API token of this user stops working.').waitFor()

    const other = await server.signedIn('editor', 'second-leaver')
    await server.call('POST /api/tokens', { body: { name: 'weekly', binding: 'service' } })
    const { id } = (await server.call('POST /api/tokens', { body: { name: 'hourly', binding: 'service' } }))
      .body.data
    await server.call(`PATCH /api/tokens/${id}`, {
      token: admin,
      body: { binding: 'owner', owner: other.id },
    })
    await users.goto('?q=leaver')
    for (const name of ['leaver', 'second-leaver']) await users.check(name).click()
    await users.bulk.action('Disable').click()
    await dialog.dialog.getByText('2 API tokens of these users stop working.').waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    expect(faults).toEqual([])
    await close()
  })
})
