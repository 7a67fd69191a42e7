import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../../support/http/webhook-receiver.ts'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { loginPage } from '../support/pages/login.ts'
import { workspaceWith } from '../support/pages/runs.ts'
import { drawerPart, tablePart } from '../support/parts.ts'
import { openPath } from '../support/warm.ts'

const works = new Set<() => Promise<void>>()
/** Lets the timer of the alerts fire once. */
const tick = async () => {
  await Promise.all([...works].map((work) => work()))
}

describe('Alerts', { timeout: 2 * patience }, () => {
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(() => receiver.close())
  const every = (_ms: number, work: () => Promise<void>) => {
    works.add(work)
    return () => void works.delete(work)
  }
  const console = setUpConsole({ substitutes: { clock: { now: () => new Date(), every } } })

  it('are created from a chart, ring the bell, notify, and lead to the rows that caused them', async () => {
    const team = await workspaceWith(console, 'Billing', [
      // One key in two environments is suggested once.
      ...(['prod', 'dev'] as const).map((env) => ({ ref_key: 'billing/pay', env })),
      ...Array.from({ length: 13 }, () => ({})),
      ...Array.from({ length: 5 }, () => ({ status: 'error' as const, error: 'card declined' })),
    ])
    const { page, faults, close } = await console.visit((await console.server.signedIn('admin')).token)
    // Headless Chromium shows no notifications, so the test records them.
    await page.addInitScript(() => {
      const shown: string[] = []
      class Recorder extends EventTarget {
        static permission = 'granted'
        static requestPermission = async () => 'granted'
        constructor(title: string, options: { body: string }) {
          super()
          shown.push(`${title}: ${options.body}`)
        }
      }
      Object.assign(window, { Notification: Recorder, shownNotifications: shown })
    })
    const dialog = page.getByRole('dialog')
    const bell = page.getByTestId('bell')
    const table = tablePart(page, 'Alerts')
    const { drawer } = drawerPart(page)

    await page.goto(`/?workspace=${team.slug}&period=1h&provider=openai`)
    await page.getByRole('button', { name: 'Create alert on Runs' }).click()
    const sentence = dialog.getByRole('status', { name: 'Condition' })
    await eventually(() => sentence.innerText()).toBe(
      'When the error rate (provider openai) in Billing over 1 hour is above 38%',
    )
    await dialog.getByLabel('Threshold').fill('5')
    await dialog.getByLabel('Name').fill('Errors of billing')
    await dialog.getByLabel('Desktop notification').check()
    await dialog.getByLabel('Webhook', { exact: true }).check()
    await dialog.getByLabel('Address').fill('http://127.0.0.1/hook')
    await dialog.getByRole('button', { name: 'Generate' }).click()
    await dialog.getByRole('button', { name: 'Create alert' }).click()
    await dialog.getByText('only a webhook that is marked as local can use it').waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await dialog.getByLabel('Address').fill(`${receiver.url}/hook`)
    await dialog.getByLabel('The receiver is on this machine or network').check()
    await dialog.getByRole('button', { name: 'Create alert' }).click()
    await dialog.waitFor({ state: 'detached' })

    await tick()
    await eventually(() => bell.getAttribute('aria-label')).toBe('Alerts, 1 unread')
    await eventually(() => page.evaluate(() => Reflect.get(window, 'shownNotifications'))).toEqual([
      'Errors of billing fired: 25%, threshold 5%',
    ])
    expect(receiver.deliveries.map(({ body }) => body.type)).toEqual(['alert.firing'])
    await bell.click()
    const event = page.getByRole('region', { name: 'Latest alert events' }).getByRole('link', {
      name: 'Errors of billing',
    })
    await event.waitFor()
    expect(await axeFaults(page)).toEqual([])
    await event.click()
    await eventually(() => tablePart(page, 'Runs').rows.count()).toBe(5)
    expect(await bell.getAttribute('aria-label')).toBe('Alerts')

    await page.keyboard.press('g')
    await page.keyboard.press('b')
    await table.row('Errors of billing').getByText('Firing').waitFor()
    await table.row('Errors of billing').click()
    await drawer.getByText('25%', { exact: true }).waitFor()
    await drawer.getByRole('button', { name: 'Send test delivery' }).click()
    await page.getByText('Delivered: the receiver replied 204.').waitFor()
    expect(receiver.deliveries.map(({ body }) => body.type)).toEqual(['alert.firing', 'alert.test'])
    expect(await axeFaults(page)).toEqual([])

    await drawer.getByRole('link', { name: '25%, threshold 5%' }).click()
    await drawer.getByRole('cell', { name: 'Replied 204' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await drawer.getByRole('link', { name: 'Open alert' }).click()
    await drawer.getByRole('button', { name: 'Disable' }).click()
    await drawer.getByText('Disabled', { exact: true }).first().waitFor()
    await eventually(() => bell.getAttribute('aria-label')).toBe('Alerts, 1 unread')
    await drawer.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete alert' }).click()
    await page.getByText('No alerts', { exact: true }).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('restores a webhook without its secret after a session ended', async () => {
    const owner = await console.server.signedIn('admin', 'owner')
    const { page, close } = await console.visit(owner.token)
    const dialog = page.getByRole('dialog')
    await openPath(page, '/alerts')
    await page.getByRole('button', { name: 'Create alert' }).first().click()
    await dialog.getByLabel('Webhook', { exact: true }).check()
    await dialog.getByLabel('Address').fill('https://example.com/hook')
    await dialog.getByRole('button', { name: 'Generate' }).click()
    expect(await dialog.getByLabel('Secret', { exact: true }).inputValue()).not.toBe('')
    await loginPage(page).endSession(console.server, owner)
    await loginPage(page).signIn(owner.username, owner.password)
    await eventually(() => dialog.getByLabel('Address').inputValue()).toBe('https://example.com/hook')
    expect(await dialog.getByLabel('Secret', { exact: true }).inputValue()).toBe('')
    await close()
  })
})
