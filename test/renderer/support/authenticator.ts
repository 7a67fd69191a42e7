import type { BrowserContext, CDPSession, Page } from 'playwright'
import { sharedBrowser } from '../../support/browser.ts'

/** A page at `localhost` in a browser whose authenticator is imitated by the browser itself. */
export type PageWithAuthenticator = {
  readonly page: Page
  readonly devtools: CDPSession
  readonly authenticatorId: string
  readonly context: BrowserContext
}

/** Opens a page at the host name localhost, because passkeys do not work at an IP address. */
export async function openWithAuthenticator(serviceUrl: string): Promise<PageWithAuthenticator> {
  const browser = await sharedBrowser()
  const baseURL = serviceUrl.replace('127.0.0.1', 'localhost')
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce', locale: 'en-US' })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { page, devtools, authenticatorId, context }
}
