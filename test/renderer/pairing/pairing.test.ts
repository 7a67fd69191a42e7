import { describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { patience } from '../support/console.ts'
import { ask, signIn, withDevices } from '../support/fixtures/devices.ts'
import { report } from '../support/pages/runs.ts'
import { followPath, openPath } from '../support/warm.ts'

const fixture = withDevices()
const { openProfile, addDevice } = fixture

describe('pairing a phone', { timeout: patience }, () => {
  it('by the code: both compare the words, the admin approves, the new user is signed in', async () => {
    const { dialog, code } = await addDevice('Editor')
    expect(code).toMatch(/^[0-9A-Z]{8}$/)
    expect(await dialog.getByTestId('words').innerText()).toBe(fixture.server.identity.words.join(' '))
    await dialog.getByText(/Expires in [45]:\d\d/).waitFor()
    expect(await axeFaults(fixture.admin, openDialog)).toEqual([])

    const phone = await openProfile(fixture.server.lanUrl)
    await phone.goto('/pair')
    await phone.getByText('You are connecting to desk.').waitFor()
    const words = phone.getByRole('list', { name: 'Words to compare' })
    expect((await words.getByRole('listitem').allInnerTexts()).join(' ')).toBe(
      fixture.server.identity.words.join(' '),
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
    await request.getByText(fixture.server.identity.words.join(' ')).waitFor()
    await request.getByText('127.0.0.1').waitFor()
    expect(await axeFaults(fixture.admin, openDialog)).toEqual([])
    await request.getByRole('button', { name: 'Approve request' }).click()

    await phone.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(new URL(phone.url()).pathname).toBe('/')
    await dialog.getByText('Approved', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const row = fixture.admin.getByRole('row', { name: /Edda's phone/ })
    await row.getByText('edda', { exact: true }).waitFor()

    // The live connection of the phone works over TLS, with its token in the upgrade.
    const clients = await fixture.server.call('GET /api/clients?client_type=browser')
    expect(clients.body.data.map(({ username }: { username: string }) => username)).toContain('edda')
    await fixture.server.client().runs.report({ body: report() })
    await followPath(fixture.admin, '/')
    const changes = fixture.admin.getByRole('list', { name: 'Latest changes' })
    await changes.getByText(/^Approved the pairing of Edda's phone/).waitFor()
  })

  it('by the QR code: the secret leaves the address at once, and is used once', async () => {
    await addDevice('Viewer')
    const { data } = (await fixture.server.call('GET /api/pairing/requests')).body
    expect(JSON.stringify(data)).not.toContain('secret')
    const opened = await fixture.server.call('POST /api/pairing', { body: { role: 'viewer' } })
    const { qr, secret } = opened.body.data
    const phone = await openProfile(fixture.server.lanUrl)
    const sent: string[] = []
    phone.on('request', (request) => sent.push(request.url()))
    await phone.goto(qr)
    await phone.getByText('You are connecting to desk.').waitFor()
    expect(phone.url()).toBe(`${fixture.server.lanUrl}/pair`)
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
    await openPath(fixture.admin, '/devices')
    await fixture.admin.getByRole('button', { name: 'Refuse request of QR phone' }).click()
    await phone.getByText('The request was refused').waitFor()
    await phone.goto(qr)
    await phone.reload()
    await phone.goto(`${fixture.server.lanUrl}/login`)
    await phone.goto(qr)
    await ask(phone, 'QR phone', 'quentin', 'a long phrase of his')
    await phone.getByText('The code is wrong, has expired or was used.').waitFor()
    await phone.getByLabel('Pairing code').waitFor()
  })

  it('signs in again on a paired browser, and not on another one', async () => {
    const { password } = await fixture.server.signedIn('viewer', 'viktor')
    const { dialog, code } = await addDevice('Admin')
    const laptop = await openProfile(fixture.server.lanUrl, 1440)
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

    const stranger = await openProfile(fixture.server.lanUrl)
    await signIn(stranger, 'viktor', password)
    await stranger.getByText('This device is not paired').waitFor()
    await stranger.getByRole('link', { name: 'Pair this browser' }).click()
    await stranger.getByLabel('Pairing code').waitFor()

    // Revoking signs the laptop out without a click there.
    await openPath(fixture.admin, '/devices')
    await fixture.admin.getByRole('button', { name: "Revoke the device Viktor's laptop" }).click()
    await fixture.admin.getByRole('button', { name: 'Revoke device' }).click()
    await laptop.getByText('Your session has ended.').waitFor()
    await signIn(laptop, 'viktor', password)
    await laptop.getByText('This device is not paired').waitFor()
  })

  it('shows why it is not available on this machine, and that the request has ended', async () => {
    const local = await openProfile(fixture.server.url)
    await local.goto('/pair')
    await local.getByText('Pairing is not available at this address').waitFor()
    await local.getByRole('link', { name: 'Sign in' }).click()
    await local.getByLabel('Username').waitFor()

    const { code } = await addDevice('Viewer')
    const phone = await openProfile(fixture.server.lanUrl)
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
    await openPath(fixture.admin, '/devices')
    await fixture.admin.getByRole('button', { name: "Rename the device Edda's phone" }).click()
    const dialog = fixture.admin.getByRole('dialog', { name: "Rename Edda's phone" })
    await dialog.getByLabel('Name').fill('Kitchen tablet')
    await dialog.getByRole('button', { name: 'Rename device' }).click()
    await fixture.admin.getByRole('row', { name: /Kitchen tablet/ }).waitFor()
    // The hint of what is under the pointer is in no landmark.
    await fixture.admin.mouse.move(0, 0)
    await fixture.admin.locator('[class*=_hint_]').waitFor({ state: 'detached' })
    expect(await axeFaults(fixture.admin, 'main')).toEqual([])
    await followPath(fixture.admin, '/devices?kind=cli')
    await fixture.admin.getByText('No devices match').waitFor()
    await fixture.admin.getByRole('button', { name: 'Clear' }).first().click()
    await fixture.admin.getByRole('row', { name: /Kitchen tablet/ }).waitFor()
  })

  it('shows other users their own devices only', async () => {
    const { username, password } = await fixture.server.signedIn('viewer', 'vera')
    const page = await openProfile(fixture.server.url, 900)
    await signIn(page, username, password)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await followPath(page, '/profile')
    await page.getByRole('link', { name: 'Show your devices' }).click()
    await page.getByText('No devices').first().waitFor()
    expect(await page.getByRole('button', { name: 'Add device' }).count()).toBe(0)
    expect(await page.getByRole('navigation').getByText('Devices').count()).toBe(0)
  })
})
