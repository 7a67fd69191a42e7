import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { View, Visit } from '../../support/browser.ts'
import { serviceToken } from '../../support/service.ts'
import { axeFaults } from '../support/axe.ts'
import { allowClipboard, clipboardText } from '../support/clipboard.ts'
import { runSnippet } from '../support/connect.ts'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { type App, clientsPage, connectApp } from '../support/pages/clients.ts'
import { toast } from '../support/parts.ts'
import { restoreReplies } from '../support/replies.ts'
import { shell } from '../support/shell.ts'

describe('Clients', { timeout: patience }, () => {
  let console: Console
  let admin: string
  /** The admin's page is reused between tests, because a reload is faster than a new profile. */
  let sharedVisit: Promise<Visit> | undefined
  const open = async (path = '', token = admin, view?: View) => {
    const isShared = token === admin && view === undefined
    if (isShared) sharedVisit ??= console.visit(admin)
    const { page, faults, close } = await ((isShared && sharedVisit) || console.visit(token, view))
    const before = faults.length
    await restoreReplies(page)
    await page.mouse.move(0, 0)
    const clients = clientsPage(page)
    await clients.goto(path)
    return {
      page,
      clients,
      faults: () => faults.slice(before),
      close: async () => (isShared ? undefined : close()),
      search: () => new URL(page.url()).searchParams,
    }
  }
  const apps = new Set<App>()
  const connect = async (name: string, hello: Record<string, unknown> = {}) => {
    const app = await connectApp(console.server, name, hello)
    apps.add(app)
    return app
  }
  const newestAudit = async () =>
    (await console.server.call('GET /api/audit?limit=1&action=disconnect')).body.data[0]
  beforeAll(async () => {
    console = await openConsole()
    admin = await console.server.login('admin', 'admin')
  })
  afterEach(async () => {
    for (const app of apps) await app.disconnect()
    apps.clear()
  })
  afterAll(() => console.close())

  it('explains how to connect while there is no client, and shows the app that the copied command starts', async () => {
    const { page, clients, faults, close } = await open()
    await allowClipboard(page)
    await clients.panel.getByText('Connect your app').waitFor()
    await clients.panel.getByRole('tab', { name: 'curl' }).click()
    await eventually(() => clients.panel.innerText()).toContain(`curl ${console.server.url}/api/runs`)
    await clients.panel.getByRole('tab', { name: 'Node' }).click()
    await clients.panel.getByRole('button', { name: 'Copy Node snippet' }).click()
    const code = await clipboardText(page)
    expect(code).toContain(console.server.url.replace('http', 'ws'))
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
    expect(faults()).toEqual([])
    await close()
  })

  it('lists each client with all it reported about itself', async () => {
    const app = await connect('checkout', {
      namespace: 'test',
      sdk_version: '0.4.2',
      keys: ['greet', 'support/reply', 'support/triage'],
    })
    const { clients, close } = await open()
    await clients.client(app.id).waitFor()
    expect(await Promise.all([0, 1, 4, 5, 6, 7, 8].map((column) => clients.cell(app.id, column)))).toEqual([
      'checkout',
      'test',
      'service-token',
      '127.0.0.1',
      'Default',
      '0.4.2',
      expect.stringMatching(/^greet\s*\+2\s*3 not live$/),
    ])
    await clients.goto('?kind=console')
    await clients.row('This console').waitFor()
    expect(await clients.row('This console').innerText()).toMatch(/console\s+This console\s+console/)
    await close()
  })

  it('opens a client with the versions it acknowledged and the keys it did not', async () => {
    const app = await connect('versions', {
      instance_id: 'pod-7',
      keys: ['greet', 'support/reply'],
    })
    app.send({ type: 'ack', seq: 1, key: 'greet', version: 'v3' })
    await eventually(
      async () => (await console.server.call('GET /api/clients?app=versions')).body.data[0].acked.length,
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

  it('flags an old SDK, outdated keys and keys that are not served, and shows the platform', async () => {
    const greet = { key: 'flag/greet', env: 'prod' as const, content: 'Hi' }
    const { id } = (await console.server.client().prompts.create({ body: greet })).data
    const app = await connect('flagged', { sdk_version: '0.0.1', keys: ['flag/greet', 'flag/none'] })
    app.send({ type: 'ack', seq: 1, key: 'flag/greet', version: 'v1' })
    const { page, clients, faults, close } = await open('?app=flagged')
    await clients.row('flagged').getByText('1 not live', { exact: true }).waitFor()
    await clients.row('flagged').getByRole('img', { name: 'Outdated' }).waitFor()
    expect(await clients.row('flagged').getByText('outdated').count()).toBe(0)
    await console.server.client().prompts.update({ params: { id }, body: { content: 'Hello' } })
    await console.server.client().promptVersions.publish({ params: { id }, body: {} })
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
    expect(await axeFaults(page)).toEqual([])

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
    expect(await axeFaults(page)).toEqual([])
    await apps.getByRole('link', { name: 'Show 1 client of flagged: Outdated SDK' }).click()
    await page.waitForURL(/state=outdated_sdk/)
    await eventually(() => clients.apps()).toEqual(['flagged'])
    await clients.goto()
    await count('Consoles').click()
    await clients.row('This console').waitFor()
    expect(faults()).toEqual([])
    await close()
  })

  it('keeps its filters in the address and follows the workspace in the header', async () => {
    await console.server.client().workspaces.create({ body: { name: 'Team Clients' } })
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
    await page.reload()
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

  it('disconnects after a confirmation; the app, the list and the audit log show it', async () => {
    const app = await connect('unwanted', { client: 'java-sdk' })
    const { page, clients, close } = await open()
    await clients.open('unwanted')
    await clients.drawer.action('Disconnect').click()
    const text = await clients.dialog.dialog.innerText()
    expect(text).toContain('Disconnect unwanted?')
    expect(text).toContain('The connection of unwanted (Java) at 127.0.0.1 closes immediately')
    await clients.dialog.button('Disconnect').click()
    expect(await app.closed).toBe(4403)
    await toast(page, 'unwanted disconnected.').waitFor()
    await clients.drawer.drawer
      .getByText(/^Disconnected /)
      .first()
      .waitFor()
    expect(await newestAudit()).toMatchObject({ actor: 'admin', resource_id: app.id, key: 'unwanted' })
    await clients.link('Show in audit').click()
    await page.getByRole('table', { name: 'Audit' }).getByText('admin disconnected unwanted').waitFor()
    await close()
  })

  it.each(['viewer', 'editor'] as const)('explains to %ss why they may not disconnect', async (role) => {
    const app = await connect(`kept-from-${role}`)
    const { token } = await console.server.signedIn(role)
    const { page, clients, close } = await open(`/${app.id}`, token)
    await clients.drawer.action('Disconnect').hover()
    const roleName = role === 'viewer' ? 'Viewer' : 'Editor'
    await page.getByRole('tooltip', { name: `Requires the role Admin; yours is ${roleName}.` }).waitFor()
    await clients.drawer.action('Disconnect').click({ force: true })
    expect(await clients.dialog.dialog.count()).toBe(0)
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

  it('displays long, foreign and hostile names in a narrow window', async () => {
    const names = [`${'long-'.repeat(20)}end`, 'خدمة الدفع', '🚀🚀 rocket', '<b>bold</b> & "quotes"']
    await Promise.all(names.map((name) => connect(name, { namespace: 'eu-1' })))
    const { page, clients, close } = await open('', admin, { width: 900 })
    for (const name of names) await clients.row(name).waitFor()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await close()
  })

  it('passes axe: panel, list, client, confirmation', async () => {
    const { page, clients, close } = await open('', admin, {})
    await clients.panel.waitFor()
    expect(await axeFaults(page)).toEqual([])
    const app = await connect('axe', { namespace: 'test', keys: ['greet'] })
    await clients.client(app.id).locator('td[data-col]').first().click()
    await clients.drawer.action('Disconnect').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await clients.drawer.action('Disconnect').click()
    await clients.dialog.button('Disconnect').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await app.disconnect()
    await close()
  })
})
