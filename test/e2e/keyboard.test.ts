import { once } from 'node:events'
import type { Locator, Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { eventually, patience, setUpConsole } from '../renderer/support/console.ts'
import { dialogPart, drawerPart, tablePart } from '../renderer/support/parts.ts'
import { shell } from '../renderer/support/shell.ts'
import { openPath } from '../renderer/support/warm.ts'

/** Performs each main task by keyboard only: no test here clicks, hovers or fills. */
const console = setUpConsole({ env: { SERVICE_TOKEN: '' } })

const defaultToken = 'promptdeck-dev-token'
const call = (route: `${string} ${string}`, body?: object) =>
  console.server.call(route, { token: defaultToken, ...(body && { body }) })

const hasFocus = (target: Locator): Promise<boolean> =>
  target.first().evaluate((element) => element === document.activeElement)

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.first().waitFor()
  for (let step = 0; step < 120; step += 1) {
    if (await hasFocus(target)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target}`)
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.type(text)
}

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** Signs in and opens a page by `g` and its letter. */
async function onPage(letter: string, name: string) {
  const token = await console.server.login('keys', 'a phrase typed by hand')
  const { page, faults, close } = await console.visit(token)
  await openPath(page, '/')
  await shell(page).heading('Overview').waitFor()
  await shell(page).keys('g', letter)
  await shell(page).heading(name).waitFor()
  const parts = { table: tablePart(page, name), drawer: drawerPart(page), dialog: dialogPart(page) }
  /** Filters the list to one row and opens it. */
  const openOnly = async (words: string) => {
    await page.keyboard.press('/')
    await page.keyboard.type(words)
    await page.keyboard.press('Enter')
    await eventually(() => parts.table.rows.count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await parts.drawer.title.waitFor()
  }
  const end = async () => {
    expect(faults).toEqual([])
    await close()
  }
  return { page, ...parts, openOnly, end }
}

describe('with only the keyboard', { timeout: patience * 2 }, () => {
  beforeAll(async () => {
    const user = { username: 'keys', password: 'a phrase typed by hand', role: 'admin' }
    expect((await call('POST /api/users', user)).status).toBe(201)
  })

  it('a failed run and its cause can be found', async () => {
    const run = { provider: 'openai', model: 'gpt-4o', latency_ms: 900 }
    const failed = { ...run, status: 'error', error: 'quota of zebra exhausted', ref_key: 'triage' }
    expect((await call('POST /api/runs', [{ ...run, status: 'ok' }, failed])).status).toBe(201)
    const { drawer, openOnly, end } = await onPage('r', 'Runs')
    await openOnly('zebra')
    await drawer.drawer.getByText('quota of zebra exhausted').first().waitFor()
    await end()
  })

  it('a role change shows its actor, and the role before and after', async () => {
    const user = { username: 'promoted', password: 'a phrase of theirs', role: 'viewer' }
    const { id } = (await call('POST /api/users', user)).body.data
    await call(`PATCH /api/users/${id}`, { role: 'editor' })
    const { drawer, openOnly, end } = await onPage('a', 'Audit')
    await openOnly('promoted editor')
    await drawer.title.filter({ hasText: 'promoted' }).waitFor()
    for (const role of ['viewer', 'editor']) await drawer.drawer.getByText(role).first().waitFor()
    await end()
  })

  it('a client can be disconnected', async () => {
    const url = `${console.server.url.replace('http', 'ws')}/ws?client=node-sdk&app=stray&namespace=prod`
    const app = new WebSocket(url, { headers: { authorization: `Bearer ${defaultToken}` } })
    await once(app, 'message')
    const closed = once(app, 'close')
    const { page, drawer, dialog, openOnly, end } = await onPage('c', 'Clients')
    await openOnly('stray')
    await press(page, drawer.action('Disconnect'))
    await press(page, dialog.button('Disconnect'))
    expect((await closed)[0]).toBe(4403)
    await end()
  })

  it('a user can be added', async () => {
    const { page, drawer, dialog, end } = await onPage('u', 'Users')
    await page.keyboard.press('n')
    await type(page, dialog.field('Username'), 'newcomer')
    await type(page, dialog.field(/^Password/), 'a phrase for a newcomer')
    // A radio group is one tab stop; arrow keys choose.
    await tabTo(page, dialog.dialog.getByRole('radio', { name: /^Viewer/, checked: true }))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await drawer.title.filter({ hasText: 'newcomer' }).waitFor()
    const { data } = (await call('GET /api/users?q=newcomer')).body
    expect(data).toMatchObject([{ username: 'newcomer', role: 'editor' }])
    await end()
  })

  it('a workspace can be deleted by typing its name', async () => {
    expect((await call('POST /api/workspaces', { name: 'Short Lived' })).status).toBe(201)
    const { page, table, drawer, dialog, openOnly, end } = await onPage('w', 'Workspaces')
    await openOnly('short')
    await press(page, drawer.action('Delete'))
    await type(page, dialog.dialog.getByRole('textbox'), 'short-lived')
    await page.keyboard.press('Enter')
    await dialog.dialog.waitFor({ state: 'detached' })
    await eventually(() => table.row('short-lived').count()).toBe(0)
    const { data } = (await call('GET /api/workspaces')).body
    expect(data.map(({ slug }: { slug: string }) => slug)).toEqual(['default'])
    await end()
  })

  it('a user can sign in and change both defaults', async () => {
    const { page, faults, close } = await console.visit(null)
    const frame = shell(page)
    await page.goto('/login')
    await type(page, page.getByRole('textbox', { name: 'Username' }), 'admin')
    await type(page, page.getByRole('textbox', { name: 'Password' }), 'admin')
    await page.keyboard.press('Enter')
    await frame.heading('Overview').waitFor()

    await press(page, page.getByRole('link', { name: 'Change password' }))
    const secret = 'a phrase of my own'
    await type(page, page.getByRole('textbox', { name: 'Current password' }), 'admin')
    await type(page, page.getByRole('textbox', { name: 'New password', exact: true }), secret)
    await type(page, page.getByRole('textbox', { name: 'Repeat new password' }), secret)
    await page.keyboard.press('Enter')
    await press(page, frame.banner.getByRole('link', { name: 'Create service token' }))

    await frame.heading('Settings').waitFor()
    const dialog = dialogPart(page)
    await press(page, page.getByRole('button', { name: 'Create service token' }))
    await press(page, dialog.button('Create service token'))
    const token = dialog.field('Service token')
    await token.waitFor()
    const serviceToken = await token.inputValue()
    await press(page, dialog.button('I have copied it'))
    await frame.banner.waitFor({ state: 'detached' })

    const me = await console.server.call('GET /api/me', { token: serviceToken })
    expect(me.body).toMatchObject({ role: 'admin', defaults: { password: false, token: false } })
    expect((await call('GET /api/me')).status).toBe(401)
    expect(await console.server.login('admin', secret)).toBeTruthy()
    expect(faults).toEqual([])
    await close()
  })
})
