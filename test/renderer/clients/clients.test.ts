import { describe, expect, it } from 'vitest'
import { serviceToken } from '../../support/service.ts'
import { axeFaults } from '../support/axe.ts'
import { allowClipboard, clipboardText } from '../support/clipboard.ts'
import { runSnippet } from '../support/connect.ts'
import { eventually, patience } from '../support/console.ts'
import { withClients } from '../support/fixtures/clients.ts'
import { shell } from '../support/shell.ts'
import { followPath } from '../support/warm.ts'

describe('Clients', { timeout: patience }, () => {
  const { shared, open, connect } = withClients()

  it('explains how to connect while there is no client, and shows the app that the copied command starts', async () => {
    const { page, clients, close } = await open()
    await allowClipboard(page)
    await clients.panel.getByText('Connect your app').waitFor()
    expect(await axeFaults(page, '[data-testid="connect"]')).toEqual([])
    await clients.panel.getByRole('tab', { name: 'curl' }).click()
    await eventually(() => clients.panel.innerText()).toContain(`curl ${shared.console.server.url}/api/runs`)
    await clients.panel.getByRole('tab', { name: 'Node' }).click()
    await clients.panel.getByRole('button', { name: 'Copy Node snippet' }).click()
    const code = await clipboardText(page)
    expect(code).toContain(shared.console.server.url.replace('http', 'ws'))
    const app = await runSnippet('Node', code, serviceToken)
    await clients.row('my-node-app').waitFor()
    await clients.panel.waitFor({ state: 'detached' })
    expect(await clients.row('my-node-app').innerText()).toContain('dev')
    // The pointer was over the panel and is now over a row, which pauses updates.
    await page.mouse.move(5, 5)
    await app.stop()
    await clients.row('my-node-app').waitFor({ state: 'detached' })
    await clients.panel.waitFor()
    expect(await page.title()).toBe('Clients · Promptdeck')
    await close()
  })

  it('lists each client with all it reported about itself', async () => {
    const app = await connect('checkout', {
      namespace: 'test',
      sdk_version: '0.4.2',
      keys: ['greet', 'support/reply', 'support/triage'],
    })
    const { page, clients, close } = await open()
    await clients.client(app.id).waitFor()
    const cells = () => Promise.all([0, 1, 4, 5, 6, 7, 8].map((column) => clients.cell(app.id, column)))
    await eventually(cells).toEqual([
      'checkout',
      'test',
      'service-token',
      '127.0.0.1',
      'Default',
      '0.4.2',
      expect.stringMatching(/^greet\s*\+2\s*3 not live$/),
    ])
    await followPath(page, '/clients?kind=console')
    await clients.row('This console').waitFor()
    expect(await clients.row('This console').innerText()).toMatch(/console\s+This console\s+console/)
    await close()
  })

  it('flags an old SDK, outdated keys and keys that are not served, and shows the platform', async () => {
    const greet = { key: 'flag/greet', env: 'prod' as const, content: 'Hi' }
    const { id } = (await shared.console.server.client().prompts.create({ body: greet })).data
    const app = await connect('flagged', { sdk_version: '0.0.1', keys: ['flag/greet', 'flag/none'] })
    app.send({ type: 'ack', seq: 1, key: 'flag/greet', version: 'v1' })
    const { page, clients, close } = await open('?app=flagged')
    await clients.row('flagged').getByText('1 not live', { exact: true }).waitFor()
    await clients.row('flagged').getByRole('img', { name: 'Outdated' }).waitFor()
    expect(await clients.row('flagged').getByText('outdated').count()).toBe(0)
    await shared.console.server.client().prompts.update({ params: { id }, body: { content: 'Hello' } })
    await shared.console.server.client().promptVersions.publish({ params: { id }, body: {} })
    await clients.row('flagged').getByText('1 outdated', { exact: true }).waitFor()
    await clients.open('flagged')
    const versions = clients.drawer.drawer.getByRole('table', { name: 'Keys and versions' })
    const states = async () =>
      (await versions.locator('tbody tr').allInnerTexts()).map((text) =>
        text.trim().split(/\t/).at(-1)?.trim(),
      )
    await eventually(states).toEqual(['Outdated', 'Not live'])
    expect(await clients.fact('SDK').innerText()).toMatch(
      /^0\.0\.1\s+Outdated\s+This service includes version 0\.1\.0$/,
    )
    app.send({ type: 'ack', seq: 2, key: 'flag/greet', version: 'v2' })
    await eventually(states).toEqual(['Current', 'Not live'])
    await clients.drawer.drawer.getByText('Current', { exact: true }).waitFor()
    expect(await axeFaults(page, 'main, [data-testid="drawer"]')).toEqual([])

    // Counts and apps are links to the lists that they count.
    await connect('another')
    const counts = page.getByRole('navigation', { name: 'Clients by state' })
    const count = (name: string) => counts.getByRole('link', { name })
    await clients.goto()
    await eventually(() => counts.getByRole('link').allInnerTexts()).toEqual([
      'App clients 2',
      'Outdated prompt 0',
      'Key not live 1',
      'Outdated SDK 1',
      expect.stringMatching(/^Consoles [1-9]$/),
    ])
    await count('Key not live').click()
    await page.waitForURL(/state=missing_key/)
    await eventually(() => clients.apps()).toEqual(['flagged'])
    expect(await clients.count.innerText()).toBe('1')
    await count('App clients').click()
    await page.getByRole('switch', { name: 'Group by app' }).click()
    const apps = page.getByRole('table', { name: 'Apps' })
    await eventually(() => apps.getByRole('rowheader').allInnerTexts()).toEqual(['another', 'flagged'])
    await page.waitForURL(/group=app/)
    expect(await axeFaults(page, 'main')).toEqual([])
    await apps.getByRole('link', { name: 'Show 1 client of flagged: Outdated SDK' }).click()
    await page.waitForURL(/state=outdated_sdk/)
    await eventually(() => clients.apps()).toEqual(['flagged'])
    await followPath(page, '/clients')
    await count('Consoles').click()
    await clients.row('This console').waitFor()
    await close()
  })

  it('keeps its filters in the address and follows the workspace in the header', async () => {
    await shared.console.server.client().workspaces.create({ body: { name: 'Team Clients' } })
    await Promise.all([
      connect('alpha', {
        client: 'python-sdk',
        namespace: 'dev',
        workspace: 'team-clients',
      }),
      connect('beta', { client: 'python-sdk', namespace: 'staging' }),
      connect('gamma', { client: 'java-sdk', namespace: 'dev' }),
    ])
    const { page, clients, search, close } = await open(
      '?client_type=python-sdk&client_type=java-sdk&sort=app',
    )
    await eventually(() => clients.apps()).toEqual(['alpha', 'beta', 'gamma'])
    await clients.filters.add('Environment', 'staging')
    await eventually(() => clients.apps()).toEqual(['beta'])
    expect(search().get('namespace')).toBe('staging')
    await clients.goto(`?${search()}`)
    await eventually(() => clients.apps()).toEqual(['beta'])
    await clients.filters.remove('Environment')
    await clients.filters.text.fill('gam')
    await eventually(() => clients.apps()).toEqual(['gamma'])
    expect(search().get('q')).toBe('gam')
    await clients.filters.text.fill('nobody has this name')
    await clients.empty.getByText('No clients match').waitFor()
    await clients.empty.getByRole('button', { name: 'Clear filters' }).click()
    await clients.row('gamma').waitFor()
    await shell(page).chooseWorkspace('Team Clients')
    await eventually(() => clients.apps()).toEqual(['alpha'])
    await close()
  })

  it('shows clients that disconnected within an hour, greyed, on request', async () => {
    const [, leaving] = await Promise.all(['stays', 'leaves'].map((name) => connect(name)))
    await leaving?.disconnect()
    const { clients, search, close } = await open()
    await clients.row('stays').waitFor()
    expect(await clients.row('leaves').count()).toBe(0)
    await clients.showDisconnected.check({ force: true })
    await clients.row('leaves').waitFor()
    expect(search().get('include')).toBe('gone')
    expect(await clients.row('leaves').getAttribute('data-dimmed')).toBe('true')
    expect(await clients.row('leaves').innerText()).toMatch(/Disconnected (just now|\d+ \w+ ago)/)
    expect(await clients.row('stays').getAttribute('data-dimmed')).toBe(null)
    // The number beside the title counts connected clients only.
    const connected = () => clients.table.locator('tbody tr:not([data-dimmed])').count()
    await eventually(async () => (await clients.count.innerText()) === String(await connected())).toBe(true)
    await clients.open('leaves')
    await clients.drawer.action('Disconnect').hover()
    await clients.drawer.drawer
      .page()
      .getByRole('tooltip', { name: 'This client has already disconnected.' })
      .waitFor()
    await close()
  })

  it('pauses updates under the pointer: new clients wait, and disconnected ones stay, greyed', async () => {
    await connect('reading-1')
    const second = await connect('reading-2')
    const { page, clients, close } = await open()
    await clients.row('reading-1').hover()
    const before = await clients.apps()
    await second.disconnect()
    await eventually(() => clients.row('reading-2').getAttribute('data-dimmed')).toBe('true')
    await connect('reading-3')
    await eventually(() => clients.waiting.innerText()).toBe('1 new client')
    expect(await clients.apps()).toEqual(before)
    await page.mouse.move(5, 5)
    await clients.row('reading-3').waitFor()
    await clients.row('reading-2').waitFor({ state: 'detached' })
    await close()
  })

  it('displays long, foreign and hostile names in a narrow window', async () => {
    const names = [`${'long-'.repeat(20)}end`, 'خدمة الدفع', '🚀🚀 rocket', '<b>bold</b> & "quotes"']
    await Promise.all(names.map((name) => connect(name, { namespace: 'eu-1' })))
    const { page, clients, close } = await open()
    await page.setViewportSize({ width: 900, height: 900 })
    for (const name of names) await clients.row(name).waitFor()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 1440, height: 900 })
    await close()
  })
})
