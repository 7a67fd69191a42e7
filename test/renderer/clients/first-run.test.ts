import { beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { connectApp } from '../support/pages/clients.ts'
import { report } from '../support/pages/runs.ts'
import { settingsPage } from '../support/pages/settings.ts'
import { shell } from '../support/shell.ts'
import { followPath, openPath } from '../support/warm.ts'

describe('the first steps', { timeout: patience }, () => {
  const console = setUpConsole({ env: { SERVICE_TOKEN: '' } })
  let admin: string
  beforeAll(async () => {
    admin = await console.server.login('admin', 'admin')
  })

  it('are checked automatically: an app connects, a run is reported, the defaults are changed', async () => {
    const { page, faults, close } = await console.visit(admin)
    const panel = page.getByTestId('first-run')
    const ticked = (step: string) => page.getByTestId(`step-${step}`).getByLabel('Done').count()
    await page.goto('/')
    await panel.getByText('0 of 5 done').waitFor()
    expect(await page.getByRole('heading').first().innerText()).toBe('Overview')
    expect(await axeFaults(page, '[data-testid="first-run"]')).toEqual([])
    await eventually(() => shell(page).live.innerText()).toBe('Live')

    const app = await connectApp(console.server, 'shop', {}, 'promptdeck-dev-token')
    await panel.getByText('shop has connected.').waitFor()
    // The banner about the defaults is hidden: it would repeat a step of the panel.
    expect(await page.getByText('still active').count()).toBe(0)
    await app.disconnect()
    expect([await ticked('defaults'), await ticked('connect'), await ticked('run')]).toEqual([0, 1, 0])

    // Runs of the sample data are not the first run.
    const created = await console.server.call('POST /api/sample-data', { token: admin })
    expect(created.body.data.runs).toBeGreaterThan(0)
    await panel.getByText('2 of 5 done').waitFor()
    expect([await ticked('prompt'), await ticked('run')]).toEqual([1, 0])
    await console.server.call('DELETE /api/sample-data', { token: admin })
    await panel.getByText('1 of 5 done').waitFor()

    await console.server.call('POST /api/runs', { token: admin, body: report() })
    await panel.getByText('2 of 5 done').waitFor()

    await panel.getByRole('button', { name: 'Create sample data' }).click()
    await panel.getByText('At least one prompt exists.').waitFor()
    expect((await console.server.call('GET /api/sample-data', { token: admin })).body.data.present).toBe(true)
    await panel.getByRole('button', { name: 'Delete sample data' }).click()
    const confirmation = page.getByRole('dialog', { name: 'Delete the sample data?' })
    await confirmation.getByRole('button', { name: 'Cancel' }).click()
    await confirmation.waitFor({ state: 'detached' })
    expect((await console.server.call('GET /api/sample-data', { token: admin })).body.data.present).toBe(true)
    await panel.getByRole('button', { name: 'Delete sample data' }).click()
    await confirmation.getByText('This cannot be undone').waitFor()
    await confirmation.getByRole('button', { name: 'Delete sample data' }).click()
    await panel.getByRole('button', { name: 'Create sample data' }).waitFor()
    expect((await console.server.call('GET /api/prompts', { token: admin })).body.total).toBe(0)
    const prompt = { key: 'greet', env: 'dev', content: 'Hi' }
    await console.server.call('POST /api/prompts', { token: admin, body: prompt })
    await panel.getByText('3 of 5 done').waitFor()
    await panel.getByRole('button', { name: 'Capture redacted' }).click()
    await panel.getByText('Texts are captured, with variable values and likely secrets removed').waitFor()
    expect((await console.server.call('GET /api/settings', { token: admin })).body.data.capture).toBe(
      'redacted',
    )
    await panel.getByRole('link', { name: 'Show run' }).click()
    await page.waitForURL(/\/runs\/\d+$/)
    await page.goBack()

    await console.server.call('PUT /api/me/password', {
      token: admin,
      body: { current_password: 'admin', new_password: 'a phrase of the owner' },
    })
    await panel.getByRole('link', { name: 'Change password' }).waitFor({ state: 'detached' })
    await panel.getByRole('link', { name: 'Create service token' }).click()
    await page.waitForURL('**/settings#token')
    await page.getByRole('button', { name: 'Create service token' }).click()
    await settingsPage(page).dialog.button('Create service token').click()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await shell(page).link('Overview').click()
    await shell(page).heading('Overview').waitFor()
    // All steps are done.
    await eventually(() => panel.count()).toBe(0)
    expect(faults).toEqual([])
    await close()
  })
})

describe('the first steps of a service with open steps', { timeout: patience }, () => {
  const console = setUpConsole()

  it('can be dismissed permanently by each user', async () => {
    const { token } = await console.server.signedIn('admin')
    const { page, close } = await console.visit(token)
    const panel = page.getByTestId('first-run')
    await openPath(page, '/')
    await panel.getByRole('button', { name: 'Hide permanently' }).click()
    await panel.waitFor({ state: 'detached' })
    await openPath(page, '/')
    await page.getByTestId('tile').or(page.getByTestId('empty')).first().waitFor()
    expect(await panel.count()).toBe(0)
    await close()
  })

  it('open the snippets, and are for admins only', async () => {
    const { token } = await console.server.signedIn('admin')
    const { page, close } = await console.visit(token, { width: 640 })
    await openPath(page, '/')
    await page.getByTestId('first-run').getByRole('button', { name: 'Connect an app' }).click()
    const dialog = page.getByRole('dialog', { name: 'Connect your app' })
    await dialog.getByRole('tab', { name: 'Java' }).waitFor()
    await dialog.getByText('Waiting for an app to connect.').waitFor()
    const app = await connectApp(console.server, 'checkout', { namespace: 'dev' })
    await dialog.getByText('checkout has connected to dev.').waitFor()

    const newer = await connectApp(console.server, 'newer')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await followPath(page, '/clients')
    await page.getByRole('button', { name: 'Connect an app' }).first().click()
    const waiting = dialog.getByText('Waiting for an app to connect.')
    await waiting.waitFor()
    const newest = await connectApp(console.server, 'newest', { namespace: 'dev' })
    await dialog.getByText('newest has connected to dev.').waitFor()
    // The remaining app was connected before the dialog was opened.
    await newer.disconnect()
    await newest.disconnect()
    await waiting.waitFor()

    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await connectApp(console.server, 'between')
    const fetched = page.waitForResponse(/sort=-connected_at/)
    await page.getByRole('button', { name: 'Connect an app' }).first().click()
    await fetched
    await dialog.getByRole('tab', { name: 'Java' }).click()
    await dialog.getByRole('tab', { name: 'Java', selected: true }).waitFor()
    expect(await waiting.count()).toBe(1)
    await app.disconnect()
    await close()
    const viewer = await console.visit((await console.server.signedIn('viewer')).token)
    await openPath(viewer.page, '/')
    await viewer.page.getByTestId('tile').or(viewer.page.getByTestId('empty')).first().waitFor()
    expect(await viewer.page.getByTestId('first-run').count()).toBe(0)
    await viewer.close()
  })
})
