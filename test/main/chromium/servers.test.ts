import type { Browser, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { IpcEvent } from '../../../main/page/ipc.ts'
import type { ServerClient } from '../../../server/index.ts'
import { axeFaults } from '../../renderer/support/axe.ts'
import { shell } from '../../renderer/support/shell.ts'
import { launchBrowser } from '../../support/browser.ts'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'
import { chromiumWindows } from '../support/chromium-window.ts'
import { click, type Desktop, eventually, patience, startDesktop } from '../support/desktop.ts'

vi.setConfig({ testTimeout: patience })

/** Two computers: the app with its service, and a service over TLS. All pages are in a real Chromium. */
let local: TestServer
let remote: LanServer
let browser: Browser
beforeAll(async () => {
  const started = await Promise.all([startTestServer(), startLanServer(), launchBrowser()])
  local = started[0]
  remote = started[1]
  browser = started[2]
})
afterAll(async () => {
  await browser.close()
  await remote.close()
  await local.close()
})

let app: Desktop | null = null
afterEach(async () => {
  for (const window of app?.windows ?? []) window.destroy()
  await app?.close()
})

async function start() {
  let askAs: (event: IpcEvent, channel: string, ...args: unknown[]) => Promise<unknown>
  const windows = chromiumWindows({
    browser,
    ask: (...args) => askAs(...args),
    token: serviceToken,
    sessions: () => desktop.sessions,
  })
  const browse: ServerClient['browse'] = (onChange) => {
    onChange([{ id: '0'.repeat(16), name: 'Blue desk', address: '10.0.0.9:4743' }])
    return () => {}
  }
  const desktop = await startDesktop({
    args: ['.', `--attach=${local.url}`],
    keyStore: 'open',
    startsAt: Date.now(),
    makeWindow: windows.make,
    serverClient: { browse },
  })
  askAs = desktop.askAs
  app = desktop
  await desktop.running()
  return {
    desktop,
    serversPage: () => windows.page(desktop.serversWindow()),
    remotePage: () => windows.page(desktop.remoteWindows()[0]),
  }
}

const host = () => new URL(remote.lanUrl).host
/** Axe needs scripts, which the policy of the page forbids: the same content in a page without one. */
async function faults(page: Page, colorScheme: 'light' | 'dark') {
  const context = await browser.newContext({ bypassCSP: true, colorScheme })
  const copy = await context.newPage()
  await copy.setContent(await page.content())
  const found = await axeFaults(copy)
  await context.close()
  return found
}

async function approve(name: string): Promise<void> {
  await eventually(async () => {
    const { body } = await remote.call('GET /api/pairing/requests')
    const request = body.data.find((each: { name: string }) => each.name === name)
    return (await remote.call(`POST /api/pairing/requests/${request?.id}/approve`)).status
  }).toBe(200)
}

it('pairs by keyboard and shows the console of the other computer, signed in over verified TLS', async () => {
  const { desktop, serversPage, remotePage } = await start()
  click(desktop.seen.tray?.menu ?? [], 'Connect to a Server…')
  const page = await serversPage()
  const address = page.getByLabel('Address or link')
  await address.waitFor()
  await eventually(() => page.locator(':focus').getAttribute('name')).toBe('address')
  for (const scheme of ['light', 'dark'] as const) expect(await faults(page, scheme)).toEqual([])

  // What is found appears without disturbing what is typed.
  await address.fill('127.0.0.1:1')
  await page.getByRole('button', { name: 'Look for servers' }).click()
  await page.getByText('Blue desk').waitFor()
  await page.getByText('Anyone on the network can use any name.', { exact: false }).waitFor()
  expect(await address.inputValue()).toBe('127.0.0.1:1')
  await address.press('Enter')
  await page.getByRole('alert').getByText('Nothing answers at 127.0.0.1:1', { exact: false }).waitFor()
  for (const scheme of ['light', 'dark'] as const) expect(await faults(page, scheme)).toEqual([])

  await address.fill(host())
  await address.press('Enter')
  await page.getByRole('heading', { name: 'Compare the four words' }).waitFor()
  for (const word of remote.identity.words) await page.getByText(word, { exact: true }).first().waitFor()
  expect(await faults(page, 'light')).toEqual([])
  await page.keyboard.press('Enter')
  const { body } = await remote.call('POST /api/pairing', { body: { role: 'editor' } })
  await page.getByLabel('Code', { exact: true }).fill('WRONG234')
  await page.getByLabel('Username').fill('edda')
  await page.getByLabel('Password').fill('a long phrase of edda')
  await page.getByLabel('Name of this device').fill('Laptop')
  await page.getByRole('button', { name: 'Request access' }).click()
  await page.getByRole('alert').getByText('The code is wrong', { exact: false }).waitFor()
  // The password has to be typed again, the rest not.
  expect(await page.getByLabel('Username').inputValue()).toBe('edda')
  expect(await page.getByLabel('Password').inputValue()).toBe('')
  expect(await faults(page, 'dark')).toEqual([])
  await page.getByLabel('Code', { exact: true }).fill(body.data.code)
  await page.getByLabel('Password').fill('a long phrase of edda')
  await page.getByLabel('Password').press('Enter')
  await page.getByRole('heading', { name: 'Waiting for the admin' }).waitFor()
  expect(await faults(page, 'light')).toEqual([])
  await approve('Laptop')

  await eventually(() => desktop.remoteWindows().length).toBe(1)
  const console = await remotePage()
  await shell(console).heading('Overview').waitFor()
  expect(new URL(console.url()).origin).toBe(remote.lanUrl)
  await eventually(() => console.getByTestId('live').getAttribute('data-status')).toBe('live')
  // The page has the functions of a remote console, and nothing else of this computer.
  expect(await console.evaluate('Object.keys(promptdeck).sort()')).toEqual([
    'onOpen',
    'reportFailedRuns',
    'showServers',
    'signIn',
    'state',
  ])
  await expect(console.evaluate(`window.askShell('promptdeck:open-log-folder')`)).rejects.toThrow(
    'not allowed',
  )
  expect(await console.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(
    'pd_dev_',
  )

  // After signing out, the app signs in again without a password.
  await console.getByRole('button', { name: 'Account of edda' }).click()
  await console.getByRole('menuitem', { name: 'Servers…' }).waitFor()
  await console.getByRole('menuitem', { name: 'Sign out' }).click()
  await console.getByRole('button', { name: 'Sign in as edda' }).click()
  await shell(console).heading('Overview').waitFor()

  // Revoking the device ends the session of the open window; signing in again shows why it fails.
  const devices = (await remote.call('GET /api/devices')).body.data
  await remote.call(`DELETE /api/devices/${devices[0].id}`)
  await console.getByRole('button', { name: 'Sign in as edda' }).click()
  await console.getByRole('alert').waitFor()
  expect(await axeFaults(console)).toEqual([])
  const reason = (await serversPage()).getByRole('alert')
  await reason.getByText('does not accept this device any more', { exact: false }).waitFor()
})

it('does not load a page whose certificate the session refuses', async () => {
  const { desktop, serversPage, remotePage } = await start()
  const { body } = await remote.call('POST /api/pairing', { body: { role: 'viewer' } })
  desktop.events.emit('second-instance', {}, ['promptdeck', body.data.link])
  await eventually(() => desktop.serversWindow() !== undefined).toBe(true)
  const page = await serversPage()
  await page.getByRole('heading', { name: 'Connect to this server?' }).waitFor()
  expect(await faults(page, 'dark')).toEqual([])
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'The words are the same' }).click()
  await page.getByLabel('Username').fill('vera')
  await page.getByLabel('Password').fill('a long phrase of vera')
  await page.getByLabel('Name of this device').fill('Second')
  await page.getByRole('button', { name: 'Request access' }).click()
  await approve('Second')
  await eventually(() => desktop.remoteWindows().length).toBe(1)
  const console = await remotePage()
  await shell(console).heading('Overview').waitFor()

  await remote.call('POST /api/network/authority')
  await console.reload().catch(() => undefined)
  const reason = async () => (await serversPage()).getByRole('alert').textContent()
  await eventually(() => desktop.serversWindow() !== undefined).toBe(true)
  await eventually(reason).toContain('was not issued by the authority with which this app was paired')
  expect(await desktop.logged()).toContain('was rejected: untrusted')
})
