import type { BrowserContext, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedBrowser } from '../../support/browser.ts'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { startTestServer } from '../../support/service.ts'
import { axeFaults } from '../support/axe.ts'
import { patience } from '../support/console.ts'

let server: LanServer
let admin: Page
const contexts: BrowserContext[] = []
const faults: string[] = []

/** Opens a page of an own profile, which trusts the certificate of the test. */
async function openProfile(baseURL: string, width = 390): Promise<Page> {
  const context = await (await sharedBrowser()).newContext({
    baseURL,
    ignoreHTTPSErrors: true,
    viewport: { width, height: 844 },
    reducedMotion: 'reduce',
  })
  contexts.push(context)
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    const isRefused = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRefused) faults.push(message.text())
  })
  return page
}

beforeAll(async () => {
  server = await startLanServer()
  const { username, password } = await server.signedIn('admin', 'ada')
  admin = await openProfile(server.url, 1440)
  await signIn(admin, username, password)
  await admin.getByRole('heading', { name: 'Overview' }).waitFor()
})
afterAll(async () => {
  await Promise.all(contexts.map((context) => context.close()))
  await server.close()
  expect(faults).toEqual([])
})

async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Username').fill(username)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens a window for a role in the dialog of the admin. Returns the text of its code and its dialog. */
async function addDevice(role: string) {
  await admin.goto('/devices')
  await admin.getByRole('button', { name: 'Add device' }).first().click()
  const dialog = admin.getByRole('dialog', { name: 'Add a device' })
  await dialog.getByRole('radio', { name: role }).check()
  await dialog.getByRole('button', { name: 'Show code' }).click()
  await dialog.getByRole('img', { name: /QR code/ }).waitFor()
  const code = (await dialog.getByTestId('code').innerText()).replace(/\s/g, '')
  return { dialog, code }
}

/** Fills the form of the new device and sends it. */
async function ask(page: Page, name: string, username: string, password: string): Promise<void> {
  await page.getByLabel('Name of this device').fill(name)
  await page.getByLabel('Username').fill(username)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Request access' }).click()
}

describe('pairing a phone', { timeout: patience }, () => {
  it('by the code: both compare the words, the admin approves, the new user is signed in', async () => {
    const { dialog, code } = await addDevice('Editor')
    expect(code).toMatch(/^[0-9A-Z]{8}$/)
    expect(await dialog.getByTestId('words').innerText()).toBe(server.identity.words.join(' '))
    await dialog.getByText(/Expires in [45]:\d\d/).waitFor()
    expect(await axeFaults(admin)).toEqual([])

    const phone = await openProfile(server.lanUrl)
    await phone.goto('/pair')
    await phone.getByText('You are connecting to desk.').waitFor()
    const words = phone.getByRole('list', { name: 'Words to compare' })
    expect((await words.getByRole('listitem').allInnerTexts()).join(' ')).toBe(
      server.identity.words.join(' '),
    )
    await phone.getByRole('button', { name: 'Request access' }).click()
    await phone.getByText('Enter the 8 characters of the code.').waitFor()
    await phone.getByLabel('Pairing code').fill('zzzz zzzz')
    await ask(phone, "Edda's phone", 'edda', 'a long phrase of hers')
    await phone.getByText('The code is wrong, has expired or was used.').waitFor()
    await dialog.getByText('1 wrong code was entered.').waitFor()
    expect(await axeFaults(phone)).toEqual([])
    await phone.getByLabel('Pairing code').fill(code.toLowerCase())
    await phone.getByRole('button', { name: 'Request access' }).click()
    await phone.getByText('Waiting for an admin').waitFor()
    expect(await axeFaults(phone)).toEqual([])

    const request = dialog.getByRole('article', { name: "Edda's phone" })
    await request.getByText('New user edda with the role Editor').waitFor()
    await request.getByText(server.identity.words.join(' ')).waitFor()
    await request.getByText('127.0.0.1').waitFor()
    expect(await axeFaults(admin)).toEqual([])
    await request.getByRole('button', { name: 'Approve request' }).click()

    await phone.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(new URL(phone.url()).pathname).toBe('/')
    await dialog.getByText('Approved', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const row = admin.getByRole('row', { name: /Edda's phone/ })
    await row.getByText('edda', { exact: true }).waitFor()

    // The live connection of the phone works over TLS, with its token in the upgrade.
    const clients = await server.call('GET /api/clients?client_type=browser')
    expect(clients.body.data.map(({ username }: { username: string }) => username)).toContain('edda')
  })

  it('by the QR code: the secret leaves the address at once, and is used once', async () => {
    await addDevice('Viewer')
    const { data } = (await server.call('GET /api/pairing/requests')).body
    expect(JSON.stringify(data)).not.toContain('secret')
    const opened = await server.call('POST /api/pairing', { body: { role: 'viewer' } })
    const { qr, secret } = opened.body.data
    const phone = await openProfile(server.lanUrl)
    const sent: string[] = []
    phone.on('request', (request) => sent.push(request.url()))
    await phone.goto(qr)
    await phone.getByText('You are connecting to desk.').waitFor()
    expect(phone.url()).toBe(`${server.lanUrl}/pair`)
    expect(await phone.evaluate(() => JSON.stringify([history.state, { ...sessionStorage }]))).not.toContain(
      secret,
    )
    expect(await phone.getByLabel('Pairing code').count()).toBe(0)
    await ask(phone, 'QR phone', 'quentin', 'a long phrase of his')
    await phone.getByText('Waiting for an admin').waitFor()
    expect(sent.filter((url) => url.includes(secret))).toEqual([])
    // A phone may unload the page while it waits.
    await phone.reload()
    await phone.getByText('Waiting for an admin').waitFor()
    await admin.goto('/devices')
    await admin.getByRole('button', { name: 'Refuse request of QR phone' }).click()
    await phone.getByText('The request was refused').waitFor()
    await phone.goto(qr)
    await phone.reload()
    await phone.goto(`${server.lanUrl}/login`)
    await phone.goto(qr)
    await ask(phone, 'QR phone', 'quentin', 'a long phrase of his')
    await phone.getByText('The code is wrong, has expired or was used.').waitFor()
    await phone.getByLabel('Pairing code').waitFor()
  })

  it('signs in again on a paired browser, and not on another one', async () => {
    const { password } = await server.signedIn('viewer', 'viktor')
    const { dialog, code } = await addDevice('Admin')
    const laptop = await openProfile(server.lanUrl, 1440)
    await laptop.goto('/pair')
    await laptop.getByLabel('Pairing code').fill(code)
    await laptop.getByText('I have an account').click()
    await ask(laptop, "Viktor's laptop", 'viktor', 'not the password')
    await laptop.getByText('Wrong username or password').waitFor()
    await ask(laptop, "Viktor's laptop", 'viktor', password)
    await dialog.getByText('Existing user viktor, whose role stays Viewer').waitFor()
    await dialog.getByRole('button', { name: 'Approve request' }).click()
    await laptop.getByRole('heading', { name: 'Overview' }).waitFor()

    await laptop.evaluate(() => sessionStorage.clear())
    await signIn(laptop, 'viktor', password)
    await laptop.getByRole('heading', { name: 'Overview' }).waitFor()

    const stranger = await openProfile(server.lanUrl)
    await signIn(stranger, 'viktor', password)
    await stranger.getByText('This device is not paired').waitFor()
    await stranger.getByRole('link', { name: 'Pair this browser' }).click()
    await stranger.getByLabel('Pairing code').waitFor()

    // Revoking signs the laptop out without a click there.
    await admin.goto('/devices')
    await admin.getByRole('button', { name: "Revoke the device Viktor's laptop" }).click()
    await admin.getByRole('button', { name: 'Revoke device' }).click()
    await laptop.getByText('Your session has ended.').waitFor()
    await signIn(laptop, 'viktor', password)
    await laptop.getByText('This device is not paired').waitFor()
  })

  it('says why it is not available on this machine, or when the request is gone', async () => {
    const local = await openProfile(server.url)
    await local.goto('/pair')
    await local.getByText('Pairing is not available at this address').waitFor()
    expect(await axeFaults(local)).toEqual([])
    await local.getByRole('link', { name: 'Sign in' }).click()
    await local.getByLabel('Username').waitFor()

    const { code } = await addDevice('Viewer')
    const phone = await openProfile(server.lanUrl)
    await phone.goto('/pair')
    await phone.getByLabel('Pairing code').fill(code)
    await ask(phone, 'Lost phone', 'lotte', 'a long phrase of hers')
    await phone.getByText('Waiting for an admin').waitFor()
    await phone.evaluate(() => {
      const pending = JSON.parse(sessionStorage.getItem('promptdeck.pairing') ?? '{}')
      sessionStorage.setItem('promptdeck.pairing', JSON.stringify({ ...pending, request_secret: 'x' }))
    })
    await phone.reload()
    await phone.getByText('The request has ended').waitFor()
    await phone.getByRole('button', { name: 'Enter a new code' }).click()
    await phone.getByLabel('Pairing code').waitFor()
  })
})

describe('the devices page', { timeout: patience }, () => {
  it('renames devices and filters the list', async () => {
    await admin.goto('/devices')
    await admin.getByRole('button', { name: "Rename the device Edda's phone" }).click()
    const dialog = admin.getByRole('dialog', { name: "Rename Edda's phone" })
    await dialog.getByLabel('Name').fill('Kitchen tablet')
    await dialog.getByRole('button', { name: 'Rename device' }).click()
    await admin.getByRole('row', { name: /Kitchen tablet/ }).waitFor()
    // The hint of what is under the pointer is in no landmark.
    await admin.mouse.move(0, 0)
    await admin.locator('[class*=_hint_]').waitFor({ state: 'detached' })
    expect(await axeFaults(admin)).toEqual([])
    await admin.goto('/devices?kind=cli')
    await admin.getByText('No devices match').waitFor()
    await admin.getByRole('button', { name: 'Clear' }).first().click()
    await admin.getByRole('row', { name: /Kitchen tablet/ }).waitFor()
  })

  it('shows other users their own devices only', async () => {
    const { username, password } = await server.signedIn('viewer', 'vera')
    const page = await openProfile(server.url, 900)
    await signIn(page, username, password)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto('/profile')
    await page.getByRole('link', { name: 'Show your devices' }).click()
    await page.getByText('No devices').first().waitFor()
    expect(await page.getByRole('button', { name: 'Add device' }).count()).toBe(0)
    expect(await page.getByRole('navigation').getByText('Devices').count()).toBe(0)
  })

  it('refuses to add a device while sharing on the network is off', async () => {
    const alone = await startTestServer()
    const { username, password } = await alone.signedIn('admin', 'olga')
    const page = await openProfile(alone.url, 1440)
    await signIn(page, username, password)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto('/users')
    await page.getByRole('link', { name: 'Add device' }).click()
    await page.getByRole('button', { name: 'Show code' }).click()
    await page.getByText('Other devices cannot reach this service.').waitFor()
    await page.context().close()
    await alone.close()
  })
})
