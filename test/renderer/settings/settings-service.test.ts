import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withSettings } from '../support/fixtures/settings.ts'
import { toast } from '../support/parts.ts'

describe('Settings', { timeout: patience }, () => {
  const { shared, open } = withSettings()

  it('creates a service token that is shown once, and names what ends', async () => {
    const { page, settings, close } = await open('#token')
    await settings.group('Service token').getByText('The built-in token').waitFor()
    await page.getByRole('button', { name: 'Create service token' }).click()
    await settings.dialog.dialog.getByText('Create a new service token?').waitFor()
    await settings.dialog.button('Create service token').click()
    const shown = page.getByRole('dialog', { name: 'New service token' })
    const token = await shown.getByLabel('Service token', { exact: true }).inputValue()
    expect(token).toMatch(/^pd_svc_/)
    expect((await shared.console.server.call('GET /api/me', { token })).body.role).toBe('admin')
    expect((await shared.console.server.call('GET /api/me', { token: 'promptdeck-dev-token' })).status).toBe(
      401,
    )
    expect(await axeFaults(page, openDialog)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await shown.count()).toBe(1)
    await shown.getByRole('button', { name: 'I have copied it' }).click()
    await settings
      .group('Service token')
      .getByText(`ending in ${token.slice(-4)}`)
      .waitFor()
    expect(await page.content()).not.toContain(token)
    await close()
  })

  it('creates, downloads and deletes a backup, and explains how to restore it', async () => {
    const { page, settings, close } = await open('#backups')
    await settings.group('Backups').getByText('No backups yet.').waitFor()
    await page.getByText('How to restore a backup').click()
    await page.getByRole('button', { name: 'Create backup' }).click()
    await toast(page, 'Backup created and verified.').waitFor()
    await settings.backups.first().getByText('Verified').waitFor()
    expect(await axeFaults(page, '#backups')).toEqual([])
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download the backup/ }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^promptdeck-.*\.sqlite$/)
    const bytes = await readFile(String(await file.path()))
    expect(bytes.subarray(0, 15).toString()).toBe('SQLite format 3')
    await page.getByText(`npm run restore -- ${file.suggestedFilename()}`).waitFor()
    await page.getByRole('button', { name: /^Delete the backup/ }).click()
    await settings.dialog.button('Delete').click()
    await eventually(() => settings.backups.count()).toBe(0)
    await close()
  })
})
