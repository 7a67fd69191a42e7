import type { Locator, Page } from 'playwright'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Visit } from '../../support/browser.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { usersPage } from '../support/pages/users.ts'
import { palettePart } from '../support/palette.ts'
import { dialogPart } from '../support/parts.ts'
import { followPath, openPath } from '../support/warm.ts'

const isFocused = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === document.activeElement)
const hasFocus = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element.contains(document.activeElement))

describe('the focus', { timeout: patience }, () => {
  const console = setUpConsole()
  /** One page for all tests. */
  let visit: Visit
  beforeAll(async () => {
    visit = await console.visit((await console.server.signedIn('admin', 'ada')).token)
  })
  afterEach(() => expect(visit.faults).toEqual([]))

  const openDialog = async (page: Page, opener: Locator): Promise<Locator> => {
    await opener.focus()
    await page.keyboard.press('Enter')
    const { dialog } = dialogPart(page)
    await dialog.waitFor()
    await eventually(() => hasFocus(dialog)).toBe(true)
    return dialog
  }
  const closeDialog = async (page: Page, dialog: Locator): Promise<void> => {
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }

  it('returns from a dialog to the button of the page that opened it', async () => {
    const { page } = visit
    await openPath(page, '/sessions')
    await followPath(page, '/tokens')
    const add = page.locator('main').getByRole('button', { name: 'Create API token' }).first()
    const form = await openDialog(page, add)
    await page.keyboard.type('checkout')
    await form.getByRole('button', { name: 'Create API token' }).focus()
    await page.keyboard.press('Enter')
    await dialogPart(page).dialog.getByRole('button', { name: 'Show API token' }).waitFor()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await eventually(() => isFocused(add)).toBe(true)
    for (const [path, name] of [
      ['/users', 'Add user'],
      ['/clients', 'Connect an app'],
      ['/prompts', 'Create prompt'],
      ['/agents', 'Import'],
      ['/audit', 'Verify'],
      ['/playground', 'History'],
      ['/tokens', 'Create API token'],
    ] as const) {
      await followPath(page, path)
      const opener = page.locator('main').getByRole('button', { name }).first()
      await closeDialog(page, await openDialog(page, opener))
      await eventually(async () => [path, await isFocused(opener)]).toEqual([path, true])
    }
  })

  it('is in the field of the palette immediately, and returns from it and from dialogs of it and of a menu', async () => {
    const { page } = visit
    const users = usersPage(page)
    await users.goto()
    const opener = page.getByRole('button', { name: 'Add user' })
    const palette = palettePart(page)
    await opener.focus()
    // A busy page handles keys before timers: early input must not be lost.
    await page.evaluate(() => {
      const check = (): void => {
        const field = document.querySelector('[role="combobox"][aria-autocomplete="list"]')
        if (field === null) return
        observer.disconnect()
        Object.assign(window, { hadFocus: field === document.activeElement })
      }
      const observer = new MutationObserver(check)
      observer.observe(document.body, { childList: true, subtree: true })
    })
    await palette.open()
    expect(await page.evaluate(() => Reflect.get(window, 'hadFocus'))).toBe(true)
    await page.keyboard.press('Escape')
    await palette.field.waitFor({ state: 'detached' })
    await eventually(() => isFocused(opener)).toBe(true)
    await palette.open()
    await page.keyboard.type('connect')
    await page.keyboard.press('Enter')
    const { dialog } = dialogPart(page)
    await page.getByRole('dialog', { name: 'Connect your app' }).waitFor()
    await eventually(() => hasFocus(dialog)).toBe(true)
    await closeDialog(page, dialog)
    await eventually(() => isFocused(opener)).toBe(true)
    const menu = page.getByRole('button', { name: /ada/ }).first()
    await menu.focus()
    await page.keyboard.press('Enter')
    const item = page.getByRole('menuitem', { name: 'Keyboard shortcuts' })
    await closeDialog(page, await openDialog(page, item))
    await eventually(() => isFocused(menu)).toBe(true)
  })

  it('returns from a confirmation, from a dialog that opened another one, and to the button of a form that failed', async () => {
    const { page } = visit
    await openPath(page, '/tokens')
    const opener = page.getByRole('button', { name: 'Create API token' }).first()
    const form = await openDialog(page, opener)
    await page.keyboard.type('robot')
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Discard' }) })
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await eventually(() => hasFocus(form)).toBe(true)
    await page.keyboard.press('Enter')
    const secret = page.getByRole('dialog', { name: 'New API token' })
    await secret.waitFor()
    await secret.getByRole('button', { name: 'I have copied it' }).click()
    await secret.waitFor({ state: 'detached' })
    await eventually(() => isFocused(opener)).toBe(true)
    await openDialog(page, opener)
    await page.keyboard.type('robot')
    await page.route('**/api/tokens', (route) => route.abort())
    const submit = form.getByRole('button', { name: 'Create API token' })
    await submit.press('Enter')
    await form.getByText('may not have been saved').waitFor()
    await eventually(() => isFocused(submit)).toBe(true)
  })

  it('moves to the next row when a row is deleted in its drawer', async () => {
    const { page } = visit
    const users = usersPage(page)
    for (const username of ['row-1', 'row-2']) {
      const body = { username, password: 'a phrase nobody guesses', role: 'viewer' }
      await console.server.call('POST /api/users', { body })
    }
    await users.goto('?q=row-')
    await users.row('row-1').press('Enter')
    await users.drawer.action('Delete').press('Enter')
    await users.dialog.dialog.getByRole('textbox').fill('row-1')
    await page.keyboard.press('Enter')
    await users.row('row-1').waitFor({ state: 'detached' })
    await eventually(() => isFocused(users.row('row-2'))).toBe(true)
  })

  it('stays where a button was that removed itself', async () => {
    const { page } = visit
    await openPath(page, '/settings')
    await page.getByLabel('Keep runs for').fill('99')
    for (const name of ['Reset', 'Remove the filter Status']) {
      const button = page.getByRole('button', { name })
      const place = await button.evaluateHandle((element) => element.parentElement?.parentElement)
      await button.press('Enter')
      await button.waitFor({ state: 'detached' })
      await eventually(() => place.evaluate((element) => element?.contains(document.activeElement))).toBe(
        true,
      )
      await followPath(page, '/runs?status=error')
    }
  })

  it('moves by the skip link without a history entry, whose index Back to an open form would need', async () => {
    const { page } = visit
    await openPath(page, '/workspaces')
    const entries = await page.evaluate(() => history.length)
    await page.getByRole('link', { name: 'Skip to content' }).press('Enter')
    await eventually(() => isFocused(page.locator('main'))).toBe(true)
    expect(await page.evaluate(() => history.length)).toBe(entries)
  })
})
