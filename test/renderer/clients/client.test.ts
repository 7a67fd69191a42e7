import { describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withClients } from '../support/fixtures/clients.ts'
import { toast } from '../support/parts.ts'
import { expectNoDialog, shell } from '../support/shell.ts'

describe('A client', { timeout: patience }, () => {
  const { shared, open, connect } = withClients()

  it('opens a client with the versions it acknowledged and the keys it did not', async () => {
    const app = await connect('versions', {
      instance_id: 'pod-7',
      keys: ['greet', 'support/reply'],
    })
    app.send({ type: 'ack', seq: 1, key: 'greet', version: 'v3' })
    await eventually(
      async () =>
        (await shared.console.server.call('GET /api/clients?app=versions')).body.data[0].acked.length,
    ).toBe(1)
    const { clients, close } = await open(`/${app.id}`)
    const versions = clients.drawer.drawer.getByRole('table', { name: 'Keys and versions' })
    await versions.waitFor()
    expect(await versions.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^greet\s+v3\s+(just now|\d+ sec ago)\s+Not live$/),
      expect.stringMatching(/^support\/reply\s+Not acknowledged\s+—\s+Not live$/),
    ])
    expect(await clients.fact('Instance').innerText()).toBe('pod-7')
    expect(await clients.fact('Platform').innerText()).toBe('Node.js')
    expect(await clients.fact('ID').innerText()).toBe(app.id)
    await close()
  })

  it('disconnects after a confirmation; the app, the list and the audit log show it', async () => {
    const app = await connect('unwanted', { client: 'java-sdk' })
    const { page, clients, close } = await open()
    await clients.open('unwanted')
    await clients.drawer.action('Disconnect').click()
    const text = await clients.dialog.dialog.innerText()
    expect(text).toContain('Disconnect unwanted?')
    expect(text).toContain('The connection of unwanted (Java) at 127.0.0.1 closes immediately')
    expect(await axeFaults(page, openDialog)).toEqual([])
    await clients.dialog.button('Disconnect').click()
    expect(await app.closed).toBe(4403)
    await toast(page, 'unwanted disconnected.').waitFor()
    await clients.drawer.drawer
      .getByText(/^Disconnected /)
      .first()
      .waitFor()
    const audit = await shared.console.server.call('GET /api/audit?limit=1&action=disconnect')
    expect(audit.body.data[0]).toMatchObject({ actor: 'admin', resource_id: app.id, key: 'unwanted' })
    await clients.link('Show in Audit').click()
    await page.getByRole('table', { name: 'Audit' }).getByText('admin disconnected unwanted').waitFor()
    await close()
  })

  it('explains to editors why they may not disconnect', async () => {
    const app = await connect('kept-from-editor')
    const { token } = await shared.console.server.signedIn('editor')
    const { page, clients, close } = await open(`/${app.id}`, token)
    await clients.drawer.action('Disconnect').hover()
    await page.getByRole('tooltip', { name: 'Requires the role Admin; yours is Editor.' }).waitFor()
    await clients.drawer.action('Disconnect').click({ force: true })
    await expectNoDialog(page)
    await close()
  })

  it('disconnects a client with the keyboard alone', async () => {
    const app = await connect('by-keyboard')
    const { page, clients, close } = await open('?app=by-keyboard')
    await clients.row('by-keyboard').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await clients.drawer.action('Disconnect').waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    for (let step = 0; step < 8 && (await focused()) !== 'Disconnect'; step += 1)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await clients.dialog.button('Disconnect').waitFor()
    await eventually(focused).toBe('Disconnect')
    await page.keyboard.press('Enter')
    expect(await app.closed).toBe(4403)
    await clients.dialog.dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await clients.drawer.drawer.waitFor({ state: 'detached' })
    await close()
  })

  it('warns before an admin disconnects their own console', async () => {
    const { page, clients, close } = await open('?kind=console')
    await clients.row('This console').locator('td[data-col]').first().click()
    await clients.drawer.action('Disconnect').click()
    await clients.dialog.dialog.getByText(/This is your own console/).waitFor()
    await clients.dialog.button('Disconnect').click()
    await eventually(() => shell(page).live.innerText()).toBe('Disconnected')
    await close()
  })

  it('reports an unknown client, and shows the snippets on demand', async () => {
    await connect('someone')
    const { page, clients, close } = await open('/no-such-client')
    await clients.drawer.drawer.getByText('Client not found').waitFor()
    await page.keyboard.press('Escape')
    await clients.row('someone').waitFor()
    expect(await clients.panel.count()).toBe(0)
    await page.keyboard.press('n')
    await clients.dialog.dialog.getByRole('tab', { name: 'Python' }).waitFor()
    await clients.dialog.dialog.getByRole('region', { name: 'Node' }).waitFor()
    await close()
  })
})
