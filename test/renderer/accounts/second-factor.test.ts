import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { codeAt, enrol } from '../../server/auth/second-factor-support.ts'
import { movableClock } from '../../support/scenario.ts'
import { axeFaults, dialogAndDrawer, openDialog } from '../support/axe.ts'
import { patience, setUpConsole } from '../support/console.ts'
import { loginPage } from '../support/pages/login.ts'
import { codeStep, profilePage } from '../support/pages/profile.ts'
import { usersPage } from '../support/pages/users.ts'
import { toast } from '../support/parts.ts'
import { shell } from '../support/shell.ts'
import { openPath } from '../support/warm.ts'

const step = 30_000

describe('two-factor authentication', { timeout: patience }, () => {
  const time = movableClock()
  const console = setUpConsole({ substitutes: { clock: time.clock } })

  it('is turned on with a QR code, and the recovery codes are shown once', async () => {
    const edda = await console.server.signedIn('editor', 'edda')
    const { page, faults, close } = await console.visit(edda.token)
    const profile = profilePage(page)
    await profile.open()
    await profile.twoFactor.getByText('Off. Sign-in needs only your password.').waitFor()
    await profile.twoFactor.getByRole('button', { name: 'Turn on two-factor authentication' }).click()
    const secret = await profile.startSetup(edda.password)
    expect(await axeFaults(page, openDialog)).toEqual([])
    await page.getByRole('textbox', { name: '6-digit code from the app' }).fill('000000')
    await page.getByRole('button', { name: 'Turn on', exact: true }).click()
    await page.getByText('The code is wrong.').waitFor()
    const codes = await profile.confirmSetup(codeAt(secret, time.clock.now()))
    expect(codes).toHaveLength(10)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download codes' }).click(),
    ])
    const file = await readFile(await download.path(), 'utf8')
    for (const code of codes) expect(file).toContain(code)
    await profile.savedCodes.click()
    await profile.twoFactor.getByText('10 recovery codes left.').waitFor()
    expect(await page.content()).not.toContain(codes[0])
    expect(faults).toEqual([])
    await close()
  })

  it('asks for a code after the password; a wrong one is explained, a recovery code works instead', async () => {
    time.pass(20 * step)
    const ada = await enrol(console.server, await console.server.signedIn('viewer', 'ada'), time.clock.now())
    const { page, faults, close } = await console.visit()
    const login = loginPage(page)
    await login.open('/login?return=/runs')
    await login.signIn('ada', ada.password)
    const second = codeStep(page)
    await second.code.fill('123')
    await second.submit.click()
    await page.getByText('Enter the code.').waitFor()
    await second.code.fill(codeAt(ada.secret, time.clock.now(), 5))
    await second.submit.click()
    await login.alert.getByText('The code is wrong or was used before.').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await second.useRecoveryCode.click()
    await second.recoveryCode.fill(ada.recoveryCodes[0] ?? '')
    await second.submit.click()
    await shell(page).heading('Runs').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('returns to the password when the challenge has expired', async () => {
    time.pass(20 * step)
    const bea = await enrol(console.server, await console.server.signedIn('viewer', 'bea'), time.clock.now())
    const { page, close } = await console.visit()
    const login = loginPage(page)
    await login.open()
    await login.signIn('bea', bea.password)
    const second = codeStep(page)
    await second.code.waitFor()
    time.pass(11 * step)
    await second.code.fill(codeAt(bea.secret, time.clock.now()))
    await second.submit.click()
    await login.alert.getByText('Sign in with your password again.').waitFor()
    await login.signIn('bea', bea.password)
    await second.code.fill(codeAt(bea.secret, time.clock.now()))
    await second.submit.click()
    await shell(page).heading('Overview').waitFor()
    await close()
  })

  it('is turned off with the password', async () => {
    time.pass(20 * step)
    const cai = await enrol(console.server, await console.server.signedIn('viewer', 'cai'), time.clock.now())
    const { page, close } = await console.visit(cai.token)
    const profile = profilePage(page)
    await profile.open()
    await profile.twoFactor.getByRole('button', { name: 'Turn off' }).click()
    await profile.confirmWithPassword('wrong', 'Turn off')
    await page.getByText('This is not your current password.').waitFor()
    await profile.confirmWithPassword(cai.password, 'Turn off')
    await profile.twoFactor.getByText('Off. Sign-in needs only your password.').waitFor()
    await close()
  })

  it('is reset by an admin, who can also create a one-time link; the link sets a password once', async () => {
    time.pass(20 * step)
    await enrol(console.server, await console.server.signedIn('viewer', 'dan'), time.clock.now())
    const { token } = await console.server.signedIn('admin', 'chief')
    const { page, faults, close } = await console.visit(token)
    const users = usersPage(page)
    await users.goto()
    await users.open('dan')
    await users.drawer.drawer.getByText('Two-factor authentication', { exact: true }).waitFor()
    await users.drawer.drawer.getByRole('button', { name: 'Reset second factor' }).click()
    await users.dialog.button('Reset second factor').click()
    await toast(page, 'Second factor of dan reset.').waitFor()
    await users.drawer.drawer.getByRole('button', { name: 'Create password link' }).click()
    await users.dialog.button('Create link').click()
    const address = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue()
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/reset#pd_link_[\w-]{43}$/)
    expect(await axeFaults(page, dialogAndDrawer)).toEqual([])
    await users.dialog.button('Done').click()

    const other = await console.visit()
    await other.page.goto(address)
    await other.page.getByText('This link is for dan').waitFor()
    expect(new URL(other.page.url()).hash).toBe('')
    expect(await axeFaults(other.page)).toEqual([])
    await other.page.getByRole('textbox', { name: 'New password', exact: true }).fill('dan2026dan')
    await other.page.getByRole('textbox', { name: 'Repeat new password' }).fill('dan2026dan')
    await other.page.getByRole('button', { name: 'Set password' }).click()
    await other.page.getByText('consists mainly of the username').waitFor()
    await other.page.getByRole('textbox', { name: 'New password', exact: true }).fill('quiet rivers run deep')
    await other.page.getByRole('textbox', { name: 'Repeat new password' }).fill('quiet rivers run deep')
    await other.page.getByRole('button', { name: 'Set password' }).click()
    await other.page.getByText('The password of dan is set.').waitFor()
    await other.page.getByRole('link', { name: 'Go to sign-in' }).click()
    await loginPage(other.page).signIn('dan', 'quiet rivers run deep')
    await shell(other.page).heading('Overview').waitFor()
    await other.close()

    const late = await console.visit()
    await late.page.goto(address)
    await late.page.getByText('This link was used, replaced or has expired.').waitFor()
    await openPath(late.page, '/reset')
    await late.page.getByText('The address has no link code.').waitFor()
    await late.close()
    expect(faults).toEqual([])
    await close()
  })

  it('can be required: a user without it sets it up and continues', async () => {
    time.pass(20 * step)
    const eve = await console.server.signedIn('viewer', 'eve')
    const chief = await enrol(
      console.server,
      await console.server.signedIn('admin', 'boss'),
      time.clock.now(),
    )
    const admin = await console.visit(chief.token)
    await openPath(admin.page, '/settings#sign_in')
    await admin.page.getByRole('checkbox', { name: 'Require two-factor authentication' }).check()
    await admin.page.getByRole('button', { name: 'Save Sign-in' }).click()
    await toast(admin.page, 'Sign-in saved.').waitFor()
    await admin.close()

    const { page, faults, close } = await console.visit(eve.token)
    await openPath(page, '/runs')
    await page.getByRole('heading', { name: 'Set up two-factor authentication' }).waitFor()
    const profile = profilePage(page)
    const secret = await profile.startSetup(eve.password)
    await profile.confirmSetup(codeAt(secret, time.clock.now()))
    await profile.savedCodes.click()
    await shell(page).heading('Runs').waitFor()
    expect(faults).toEqual([])
    await close()
    await console.server.call('PATCH /api/settings', { body: { require_second_factor: false } })
  })

  it('reports a sign-in from a new device in the open console, until it is hidden', async () => {
    const fay = await console.server.signedIn('viewer', 'fay')
    const { page, close } = await console.visit()
    const login = loginPage(page)
    await login.open('/login?return=/runs')
    await login.signIn('fay', fay.password)
    await shell(page).heading('Runs').waitFor()
    await shell(page).live.getByText('Live', { exact: true }).waitFor()
    await console.server.call('POST /api/login', {
      token: null,
      body: { username: 'fay', password: fay.password },
      headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0' },
    })
    const notice = page.getByRole('status').filter({ hasText: 'New sign-in from Firefox on Windows' })
    await notice.waitFor()
    expect(await notice.innerText()).toContain('127.0.0.1')
    expect(await axeFaults(page, '[role="status"]')).toEqual([])
    await notice.getByRole('link', { name: 'Review sign-ins' }).click()
    const { signIns } = profilePage(page)
    const place = signIns.getByRole('listitem').filter({ hasText: 'Firefox on Windows' })
    await place.getByText('New', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Hide this notice' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.reload()
    await signIns.getByText('Firefox on Windows').waitFor()
    expect(await notice.count()).toBe(0)
    await close()
  })
})
