import type { Page } from 'playwright'
import type { TestServer } from '../../../support/service.ts'
import { openPath } from '../warm.ts'

export const loginPage = (page: Page) => {
  const username = page.getByRole('textbox', { name: 'Username' })
  const password = page.getByRole('textbox', { name: 'Password' })
  const button = page.getByRole('button', { name: 'Sign in' })
  return {
    username,
    password,
    button,
    alert: page.getByRole('alert'),
    hint: page.getByTestId('defaults-hint'),
    open: (path = '/login') => openPath(page, path),
    /** Ends the sessions of the user of the page, and waits until the page shows it. */
    async endSession(server: TestServer, { id }: { readonly id: string }): Promise<void> {
      await server.call(`POST /api/users/${id}/revoke-sessions`)
      await page.getByText('Your session has ended.').waitFor()
    },
    /** Fills in the form and presses Enter. */
    async signIn(name: string, secret: string): Promise<void> {
      await username.fill(name)
      await password.fill(secret)
      await password.press('Enter')
    },
  }
}

/** Page object for the forced password change. */
export const mustChangePage = (page: Page) => ({
  title: page.getByRole('heading', { name: 'Choose a new password' }),
  async change(current: string, next: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Current password' }).fill(current)
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill(next)
    await page.getByRole('textbox', { name: 'Repeat new password' }).fill(next)
    await page.getByRole('button', { name: 'Change password' }).click()
  },
})
