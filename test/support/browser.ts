import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { findChromium } from '../../scripts/lib/chromium.mjs'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Starts the browser for tests (see `scripts/lib/chromium.mjs`). Downloads nothing. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === null) throw new Error('No Chromium found: install one or set CHROMIUM_PATH')
  return chromium.launch({ executablePath, args: flags, headless: true })
}

export type View = {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly reducedMotion?: 'reduce' | 'no-preference'
  /**
   * True if the profile must not be reused, because the test changes something that cannot be reset, such as
   * the page's clock.
   */
  readonly isSpoilt?: boolean
}

export type Visit = {
  readonly page: Page
  /** Uncaught errors and console errors of the page, including CSP violations. */
  readonly faults: readonly string[]
  readonly close: () => Promise<void>
}

/** True for failed requests, which the browser logs itself; tests that cause them check the reply instead. */
const isRefusedRequest = (text: string): boolean => text.startsWith('Failed to load resource')

/**
 * Unused browser profiles by their settings. Their cached scripts make the next page load in half the time.
 */
const idle = new WeakMap<Browser, Map<string, BrowserContext[]>>()

function idleOf(browser: Browser, look: string): BrowserContext[] {
  const byLook = idle.get(browser) ?? new Map<string, BrowserContext[]>()
  idle.set(browser, byLook)
  const contexts = byLook.get(look) ?? []
  byLook.set(look, contexts)
  return contexts
}

/** Removes everything that a visit left in the profile, except cached scripts. */
async function empty(context: BrowserContext, origin: string): Promise<void> {
  // Running route handlers must not fail in a later test.
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })))
  await Promise.all(context.pages().map((page) => page.close()))
  await Promise.all([
    context.clearCookies(),
    context.clearPermissions(),
    context.setOffline(false),
    context.unrouteAll({ behavior: 'ignoreErrors' }),
  ])
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  const storageTypes = 'local_storage,indexeddb,websql,service_workers,cache_storage,file_systems'
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes })
  await page.close()
}

/** Opens a page in an empty profile that no concurrent visit shares. Reduced motion is the default. */
export async function visit(browser: Browser, baseUrl: string, view: View = {}): Promise<Visit> {
  const options = {
    baseURL: baseUrl,
    viewport: { width: view.width ?? 1440, height: view.height ?? 900 },
    colorScheme: view.colorScheme ?? 'light',
    reducedMotion: view.reducedMotion ?? 'reduce',
    locale: 'en-US',
  } as const
  const free = idleOf(browser, JSON.stringify(options))
  const context = free.pop() ?? (await browser.newContext(options))
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefusedRequest(message.text())) faults.push(message.text())
  })
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    if (view.isSpoilt === true) {
      await context.close()
      return
    }
    await empty(context, new URL(baseUrl).origin)
    free.push(context)
  }
  return { page, faults, close }
}
