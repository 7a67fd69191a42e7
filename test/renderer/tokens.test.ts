import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from './support/axe.ts'
import { type Console, openConsole, patience } from './support/console.ts'
import { toast } from './support/parts.ts'
import { settingsPage } from './support/settings.ts'

describe('API tokens in Settings', { timeout: patience }, () => {
  let console: Console
  let admin: string
  beforeAll(async () => {
    console = await openConsole()
    admin = (await console.server.signedIn('admin', 'ada')).token
    await console.server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
  })
  afterAll(() => console.close())

  for (const scheme of ['light', 'dark'] as const) {
    it(`are made with limits, shown once, and revoked (${scheme})`, async () => {
      const { page, faults, close } = await console.visit(admin, { colorScheme: scheme })
      const settings = settingsPage(page)
      const { dialog } = settings
      await settings.goto('#tokens')
      const group = settings.group('API tokens')
      await group.getByText('No API token yet.', { exact: false }).waitFor()

      await group.getByRole('button', { name: 'Make an API token' }).click()
      await dialog.button('Make an API token').click()
      await dialog.dialog.getByText('Enter a name.').waitFor()
      await dialog.field('Name').fill('checkout')
      await dialog.dialog.getByRole('combobox', { name: 'Workspace' }).click()
      await page.getByRole('option', { name: 'Team Blue' }).click()
      await dialog.dialog.getByRole('checkbox', { name: 'prod' }).check()
      await dialog.dialog.getByRole('combobox', { name: 'Expires' }).click()
      await page.getByRole('option', { name: 'In 30 days' }).click()
      expect(await axeFaults(page)).toEqual([])
      await dialog.button('Make an API token').click()

      const secret = page.getByLabel('API token', { exact: true })
      await secret.waitFor()
      const token = await secret.inputValue()
      expect(token).toMatch(/^pd_api_/)
      expect(await axeFaults(page)).toEqual([])
      await dialog.button('I have copied it').click()
      await dialog.dialog.waitFor({ state: 'detached' })

      const row = group.getByRole('row', { name: /checkout/ })
      await row.getByText('Team Blue').waitFor()
      await row.getByText('prod').waitFor()
      await row.getByText(`ends in ${token.slice(-4)}`).waitFor()
      expect(await page.content()).not.toContain(token)
      expect((await console.server.call('GET /api/me', { token })).body).toMatchObject({
        username: 'checkout',
      })

      await page.getByRole('button', { name: 'Revoke the API token checkout' }).click()
      await dialog.dialog.getByText('every app that uses it is cut off', { exact: false }).waitFor()
      await dialog.button('Revoke').click()
      await toast(page, 'API token revoked.').waitFor()
      await group.getByText('No API token yet.', { exact: false }).waitFor()
      expect((await console.server.call('GET /api/me', { token })).status).toBe(401)

      await page.goto('/audit')
      await page.getByText('ada revoked the API token checkout').first().waitFor()
      expect(faults).toEqual([])
      await close()
    })
  }
})
