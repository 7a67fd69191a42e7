import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright'
import { findChromium } from '../../scripts/lib/chromium.mjs'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Pages of one profile share a process, which keeps the compiled scripts of the console.
  '--process-per-site',
  // The pages of tests live too briefly for optimized code to pay off.
  '--js-flags=--no-opt --no-maglev',
]

let started: Promise<Browser> | undefined

/** Returns the browser of this process, which test files share and which ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  started ??= launchBrowser()
  return started
}

/** Starts a browser for tests (see `scripts/lib/chromium.mjs`). Downloads nothing. */
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
 * A browser profile and the tab that stays open in it. The tab keeps the process of the site alive, and with it
 * the compiled scripts: the next page loads in half the time.
 */
type Profile = { readonly context: BrowserContext; readonly tab: Page; readonly devtools: CDPSession }

async function newProfile(browser: Browser, options: BrowserContextOptions): Promise<Profile> {
  const context = await browser.newContext(options)
  const tab = await context.newPage()
  // A picture of the site has no scripts.
  await tab.goto('/favicon.svg')
  return { context, tab, devtools: await context.newCDPSession(tab) }
}

/** Removes everything that a visit left in the profile, except compiled scripts. */
async function empty({ context, tab, devtools }: Profile, origin: string): Promise<void> {
  const pages = context.pages().filter((page) => page !== tab)
  // Running route handlers must not fail in a later test.
  await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })))
  await Promise.all(pages.map((page) => page.close()))
  await Promise.all([
    context.clearCookies(),
    context.clearPermissions(),
    context.setOffline(false),
    context.unrouteAll({ behavior: 'ignoreErrors' }),
  ])
  const storageTypes = 'local_storage,indexeddb,websql,service_workers,cache_storage,file_systems'
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes })
}

/**
 * Opens a page of the site from the tab of the profile, so that it shares the tab's process. A page that
 * Playwright opens itself starts a process of its own first.
 */
async function openPage({ context, tab }: Profile): Promise<Page> {
  const [page] = await Promise.all([
    context.waitForEvent('page'),
    tab.evaluate(() => void window.open('/favicon.svg', '_blank', 'noopener')),
  ])
  await page.waitForLoadState()
  return page
}

export type Visitor = {
  /**
   * Opens a page in an empty profile that no concurrent visit shares. It shows a picture of the site. Reduced
   * motion is the default.
   */
  visit(baseUrl: string, view?: View): Promise<Visit>
  /** Closes all pages and profiles. */
  close(): Promise<void>
}

/** Returns a visitor with profiles of its own. */
export function createVisitor(browser: Browser): Visitor {
  const contexts = new Set<BrowserContext>()
  /** Unused profiles by their settings. */
  const idle = new Map<string, Profile[]>()

  const profileFor = async (options: BrowserContextOptions): Promise<Profile> => {
    const unused = idle.get(JSON.stringify(options))?.pop()
    if (unused !== undefined) return unused
    const profile = await newProfile(browser, options)
    contexts.add(profile.context)
    return profile
  }

  return {
    async visit(baseUrl, view = {}) {
      const options = optionsOf(baseUrl, view)
      const profile = await profileFor(options)
      const page = await openPage(profile)
      const faults = faultsOf(page)
      let isClosed = false
      const close = async () => {
        if (isClosed) return
        isClosed = true
        if (view.isSpoilt === true) {
          contexts.delete(profile.context)
          await profile.context.close()
          return
        }
        await empty(profile, new URL(baseUrl).origin)
        const look = JSON.stringify(options)
        idle.set(look, [...(idle.get(look) ?? []), profile])
      }
      return { page, faults, close }
    },
    async close() {
      await Promise.all([...contexts].map((context) => context.close()))
      contexts.clear()
      idle.clear()
    },
  }
}

const optionsOf = (baseUrl: string, view: View) =>
  ({
    baseURL: baseUrl,
    viewport: { width: view.width ?? 1440, height: view.height ?? 900 },
    colorScheme: view.colorScheme ?? 'light',
    reducedMotion: view.reducedMotion ?? 'reduce',
    locale: 'en-US',
  }) as const

/** Returns the list to which uncaught errors and console errors of the page are added. */
function faultsOf(page: Page): readonly string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefusedRequest(message.text())) faults.push(message.text())
  })
  return faults
}
