import type { Locator, Page } from 'playwright'
import { expect } from 'vitest'

export const shell = (page: Page) => {
  const nav = page.getByRole('navigation', { name: 'Pages', exact: true })
  return {
    nav,
    links: nav.getByRole('link'),
    link: (name: string): Locator => nav.getByRole('link', { name, exact: true }),
    heading: (name: string): Locator => page.getByRole('heading', { level: 1, name, exact: true }),
    live: page.getByTestId('live'),
    banner: page.getByRole('status'),
    async chooseWorkspace(name: string): Promise<void> {
      // The list of the previous page may show its chip of the same name for a moment.
      await page
        .locator('button[aria-haspopup]')
        .and(page.getByRole('button', { name: /^Workspace:/ }))
        .click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    },
    async chooseScheme(name: 'Light' | 'Dark' | 'System'): Promise<void> {
      await page.getByRole('button', { name: 'Colour scheme' }).click()
      await page.getByRole('menuitem', { name }).click()
    },
    async signOut(): Promise<void> {
      await page.getByRole('button', { name: /^Account of/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    },
    /** Presses keys without waiting in between, outside of any field. */
    async keys(...keys: string[]): Promise<void> {
      await Promise.all(keys.map((key) => page.keyboard.press(key)))
    },
  }
}

/** Ends the wait for the next attempt to connect, as the system does when a network is available again. */
export async function endWait(page: Page): Promise<void> {
  await page.evaluate(() => dispatchEvent(new Event('online')))
}

/** Checks that earlier clicks and keys opened no dialog: `?` opens its dialog only if no other is open. */
export async function expectNoDialog(page: Page): Promise<void> {
  await page.keyboard.press('?')
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await shortcuts.waitFor()
  expect(await page.locator('[aria-modal="true"]').count()).toBe(1)
  // A page with an open dialog would be loaded again for the next test.
  await page.keyboard.press('Escape')
  await shortcuts.waitFor({ state: 'detached' })
}
