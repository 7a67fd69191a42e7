import type { Locator, Page } from 'playwright'
import { dialogPart } from '../parts.ts'
import { openPath } from '../warm.ts'

/** Page object for the profile, and for the dialogs that change how the user signs in. */
export const profilePage = (page: Page) => {
  const dialog = page.getByRole('dialog')
  const section = (title: string): Locator =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
  const codes = page.getByRole('list', { name: 'Recovery codes' })
  return {
    dialog,
    form: dialogPart(page),
    section,
    twoFactor: section('Two-factor authentication'),
    passkeys: section('Passkeys'),
    signIns: section('Recent sign-ins'),
    codes,
    open: (hash = '') => openPath(page, `/profile${hash}`),
    /** Enters the current password and returns the secret for an authenticator app. */
    async startSetup(password: string): Promise<string> {
      await page.getByRole('textbox', { name: 'Current password' }).last().fill(password)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor()
      return (await page.locator('code').innerText()).replaceAll(' ', '')
    },
    async confirmSetup(code: string): Promise<string[]> {
      await page.getByRole('textbox', { name: '6-digit code from the app' }).fill(code)
      await page.getByRole('button', { name: 'Turn on', exact: true }).click()
      await codes.waitFor()
      return codes.getByRole('listitem').allInnerTexts()
    },
    savedCodes: page.getByRole('button', { name: 'I have saved the codes' }),
    async confirmWithPassword(password: string, button: string): Promise<void> {
      await dialog.getByRole('textbox', { name: 'Current password' }).fill(password)
      await dialog.getByRole('button', { name: button }).click()
    },
  }
}

/** Page object for the second step of the sign-in page. */
export const codeStep = (page: Page) => ({
  code: page.getByRole('textbox', { name: 'Code', exact: true }),
  recoveryCode: page.getByRole('textbox', { name: 'Recovery code' }),
  useRecoveryCode: page.getByRole('button', { name: 'Use a recovery code' }),
  back: page.getByRole('button', { name: 'Back to the password' }),
  submit: page.getByRole('button', { name: 'Sign in', exact: true }),
})
