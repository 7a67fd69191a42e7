import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bare } from '../../support/bare.ts'
import { openWithAuthenticator, type PageWithAuthenticator } from '../support/authenticator.ts'
import { patience, setUpConsole } from '../support/console.ts'
import { assertion, newCredential, type Reply, send } from '../support/fixtures/passkeys.ts'
import { loginPage } from '../support/pages/login.ts'
import { profilePage } from '../support/pages/profile.ts'
import { shell } from '../support/shell.ts'

type Person = {
  readonly id: string
  readonly username: string
  readonly password: string
  readonly token: string
}

const refused = (code: string) => ({ status: 401, code })
const outcome = ({ status, body }: Reply) => ({ status, code: body['code'] })

describe('passkeys at localhost', { timeout: patience }, () => {
  const console = setUpConsole()
  let opened: PageWithAuthenticator
  let page: Page
  let edda: Person

  beforeAll(async () => {
    edda = await console.server.signedIn('editor', 'edda')
    opened = await openWithAuthenticator(console.server.url)
    page = opened.page
  })
  afterAll(() => opened.context.close())

  const credentials = async () =>
    (await opened.devtools.send('WebAuthn.getCredentials', { authenticatorId: opened.authenticatorId }))
      .credentials
  const latestAudit = async () => {
    const { body } = await console.server.call('GET /api/audit?limit=1')
    const { actor, action, resource, key, summary } = body.data[0]
    return `${actor} ${action} ${resource} ${key}: ${summary}`
  }

  it('are added with the current password', async () => {
    await page.goto('/login?return=/profile')
    const login = loginPage(page)
    await login.username.fill(edda.username)
    await login.password.fill(edda.password)
    await login.password.press('Enter')
    const { passkeys, dialog, confirmWithPassword } = profilePage(page)
    await passkeys.getByRole('button', { name: 'Add passkey' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Laptop')
    await confirmWithPassword('wrong', 'Add passkey')
    await page.getByText('This is not your current password.').waitFor()
    expect(await credentials()).toHaveLength(0)
    await confirmWithPassword(edda.password, 'Add passkey')
    await passkeys.getByText('Laptop').waitFor()
    const [credential] = await credentials()
    expect(credential).toMatchObject({ rpId: 'localhost', isResidentCredential: true })
    expect(await latestAudit()).toBe('edda create passkey edda: edda added the passkey Laptop')
  })

  it('sign in without password and code', async () => {
    await shell(page).signOut()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await shell(page).heading('Overview').waitFor()
    expect(await latestAudit()).toBe('edda login session edda: edda signed in with the passkey Laptop')
    const sessions = await console.server.call('GET /api/me/sessions', {
      token: await page.evaluate(() => sessionStorage.getItem('promptdeck.token')),
    })
    expect(sessions.body.data.find(({ current }: { current: boolean }) => current).method).toBe('passkey')
  })

  it('count as both factors where a second factor is required; the password alone does not', async () => {
    await console.server.call('PATCH /api/settings', { body: { require_second_factor: true } })
    const reply = await send(page, '/api/login', { passkey: await assertion(page) })
    const runs = await console.server.call('GET /api/runs', { token: String(reply.body['token']) })
    expect(runs.status).toBe(200)
    const token = await console.server.login(edda.username, edda.password)
    expect((await console.server.call('GET /api/runs', { token })).status).toBe(403)
    // Otherwise whoever knows the password could add a factor of their own, or remove the passkey.
    const { body: own } = await console.server.call('GET /api/me/passkeys', {
      token: String(reply.body['token']),
    })
    const password = { current_password: edda.password }
    for (const what of [
      'POST /api/me/second-factor',
      'POST /api/me/passkeys/options',
      `POST /api/me/passkeys/${own.data[0].id}/remove`,
    ]) {
      const { status, body: problem } = await console.server.call(what, { token, body: password })
      expect({ what, status, code: problem.code }).toEqual({
        what,
        status: 403,
        code: 'auth.second_factor_setup_required',
      })
      expect(problem.detail).toContain('Sign in with your passkey')
    }
    await console.server.call('PATCH /api/settings', { body: { require_second_factor: false } })
  })

  it('sign in once per challenge, also when the first reply was refused', async () => {
    const passkey = await assertion(page)
    expect((await send(page, '/api/login', { passkey })).status).toBe(200)
    expect(outcome(await send(page, '/api/login', { passkey }))).toEqual(refused('auth.challenge_expired'))
    const second = await assertion(page)
    const response = Object(second['response'])
    const signature = `${response.signature.slice(0, -4)}AAAA`
    const altered = { ...second, response: { ...response, signature } }
    expect(outcome(await send(page, '/api/login', { passkey: altered }))).toEqual(
      refused('auth.invalid_passkey'),
    )
    expect(await latestAudit()).toContain('anonymous login_failed session edda')
    expect(outcome(await send(page, '/api/login', { passkey: second }))).toEqual(
      refused('auth.challenge_expired'),
    )
  })

  it('need the user to be verified', async () => {
    const passkey = await assertion(page)
    const response = Object(passkey['response'])
    const data = Buffer.from(response.authenticatorData, 'base64url')
    // The flag UV (WebAuthn 3, 6.1). Without it the signature is also wrong.
    data[32] = (data[32] ?? 0) & ~4
    const altered = { ...passkey, response: { ...response, authenticatorData: data.toString('base64url') } }
    expect(outcome(await send(page, '/api/login', { passkey: altered }))).toEqual(
      refused('auth.invalid_passkey'),
    )
    const { authenticatorId } = opened
    await opened.devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await expect(assertion(page)).rejects.toThrow('NotAllowedError')
    await opened.devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  })

  it('are refused when the counter goes back, as for a copied authenticator', async () => {
    const { authenticatorId, devtools } = opened
    const [credential] = await credentials()
    if (credential === undefined) throw new Error('the authenticator has no passkey')
    await devtools.send('WebAuthn.removeCredential', {
      authenticatorId,
      credentialId: credential.credentialId,
    })
    await devtools.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount: 0 },
    })
    expect(outcome(await send(page, '/api/login', { passkey: await assertion(page) }))).toEqual(
      refused('auth.invalid_passkey'),
    )
    await devtools.send('WebAuthn.removeCredential', {
      authenticatorId,
      credentialId: credential.credentialId,
    })
    await devtools.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount: credential.signCount + 10 },
    })
    expect((await send(page, '/api/login', { passkey: await assertion(page) })).status).toBe(200)
  })

  it('of a disabled user are refused', async () => {
    await console.server.call(`PATCH /api/users/${edda.id}`, { body: { disabled: true } })
    expect(outcome(await send(page, '/api/login', { passkey: await assertion(page) }))).toEqual(
      refused('auth.invalid_passkey'),
    )
    await console.server.call(`PATCH /api/users/${edda.id}`, { body: { disabled: false } })
  })

  it('can be renamed, and removed with the current password; then they are refused', async () => {
    const token = await console.server.login(edda.username, edda.password)
    await page.goto('/login')
    await page.evaluate((value) => sessionStorage.setItem('promptdeck.token', value), token)
    const { passkeys, dialog, open, confirmWithPassword } = profilePage(page)
    await open()
    await passkeys.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Work laptop')
    await dialog.getByRole('button', { name: 'Rename passkey' }).click()
    await passkeys.getByText('Work laptop').waitFor()
    await passkeys.getByRole('button', { name: 'Remove' }).click()
    await confirmWithPassword(edda.password, 'Remove passkey')
    await passkeys.getByText('No passkeys.').waitFor()
    expect(await latestAudit()).toBe('edda delete passkey edda: edda removed the passkey Work laptop')
    expect(outcome(await send(page, '/api/login', { passkey: await assertion(page) }))).toEqual(
      refused('auth.invalid_passkey'),
    )
  })

  it('are added only by the session that started it, and once', async () => {
    const ada: Person = await console.server.signedIn('viewer', 'ada')
    const body = { current_password: ada.password }
    const { options } = (await send(page, '/api/me/passkeys/options', body, ada.token)).body
    const response = await newCredential(page, options)
    const add = (token: string) => send(page, '/api/me/passkeys', { name: 'Key', response }, token)
    const expired = refused('auth.challenge_expired')
    const other = await console.server.login(ada.username, ada.password)
    expect(outcome(await add(other))).toEqual(expired)
    expect(outcome(await add(ada.token))).toEqual(expired)
    const list = await console.server.call('GET /api/me/passkeys', { token: ada.token })
    expect(list.body.data).toEqual([])
  })

  it('are not added by a session that ends meanwhile', async () => {
    const eve: Person = await console.server.signedIn('viewer', 'eve')
    const password = { current_password: eve.password }
    const { options } = (await send(page, '/api/me/passkeys/options', password, eve.token)).body
    const body = JSON.stringify({ name: 'Key', response: await newCredential(page, options) })
    const { origin, host } = new URL(page.url())
    const headers = { origin, host, authorization: `Bearer ${eve.token}`, 'content-type': 'application/json' }
    const reply = await bare(console.server.url, '/api/me/passkeys', headers, 'POST', body, () =>
      console.server.call(`POST /api/users/${eve.id}/revoke-sessions`),
    )
    expect(reply.status).toBe(401)
  })
})

describe('passkeys at an IP address', { timeout: patience }, () => {
  const console = setUpConsole()

  it('are not offered', async () => {
    const { token } = await console.server.signedIn('viewer')
    const { page, close } = await console.visit()
    await page.goto('/login')
    await loginPage(page).button.waitFor()
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0)
    await page.evaluate((value) => sessionStorage.setItem('promptdeck.token', value), token)
    const { passkeys, open } = profilePage(page)
    await open()
    await passkeys.getByText('Passkeys work only at a host name').waitFor()
    expect(await passkeys.getByRole('button', { name: 'Add passkey' }).count()).toBe(0)
    await close()
  })

  it('are refused to a page there, and without a page', async () => {
    for (const headers of [{ origin: console.server.url }, {}]) {
      const reply = await console.server.call('POST /api/login/passkey-options', { token: null, headers })
      expect({ status: reply.status, code: reply.body.code }).toEqual({
        status: 409,
        code: 'passkey.origin_unsupported',
      })
    }
  })
})
