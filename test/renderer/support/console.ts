import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { launchBrowser, type View, type Visit, visit } from '../../support/browser.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/service.ts'

/** Where `renderer/lib/session/session.ts` keeps the token of a tab. */
const tokenKey = 'promptdeck.token'

/** What one test may take, in milliseconds: it starts a browser context and loads the console. */
export const patience = 60_000

/** Waits for a reading to become what is expected; a page gets as long as a slow machine takes. */
export const eventually = <T>(read: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> =>
  expect.poll(read, { timeout: 15_000, interval: 50 })

export type Console = {
  readonly server: TestServer
  /** A fresh browser profile in front of the console, signed in when a token is given. */
  visit(token?: string | null, view?: View): Promise<Visit>
  close(): Promise<void>
}

/** The real service with the built console, and a real Chromium in front of it. */
export async function openConsole(options: TestServerOptions = {}): Promise<Console> {
  const [server, browser]: [TestServer, Browser] = await Promise.all([
    startTestServer(options),
    launchBrowser(),
  ])
  return {
    server,
    async visit(token = null, view = {}) {
      const made = await visit(browser, server.url, view)
      made.page.setDefaultTimeout(20_000)
      if (token !== null) await putToken(made.page, token)
      return made
    },
    async close() {
      await browser.close()
      await server.close()
    },
  }
}

/** Puts the token into the tab as signing in does, without the form; once, so that signing out stays signed out. */
async function putToken(page: Page, token: string): Promise<void> {
  await page.goto('/favicon.svg')
  await page.evaluate(([key, value]) => sessionStorage.setItem(key, value), [tokenKey, token] as const)
}
