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
  readonly timezoneId?: string
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
 * A browser profile, its page, and the tab that stays open in it. The tab keeps the process of the site alive,
 * and with it the compiled scripts: the next page loads in half the time.
 */
type Profile = {
  readonly context: BrowserContext
  readonly tab: Page
  readonly page: Page
  readonly devtools: CDPSession
}

/** A picture of the site. It has no scripts. */
const picture = '/favicon.svg'

async function newProfile(browser: Browser, options: BrowserContextOptions): Promise<Profile> {
  const context = await browser.newContext(options)
  const tab = await context.newPage()
  await tab.goto(picture)
  return { context, tab, page: await openPage(context, tab), devtools: await context.newCDPSession(tab) }
}

/**
 * Opens a page of the site from the tab of the profile, so that it shares the tab's process. A page that
 * Playwright opens itself starts a process of its own first.
 */
async function openPage(context: BrowserContext, tab: Page): Promise<Page> {
  const [page] = await Promise.all([
    context.waitForEvent('page'),
    tab.evaluate((path) => void window.open(path, '_blank', 'noopener'), picture),
  ])
  await page.waitForLoadState()
  return page
}

/** Events of a page that tests listen to. */
const pageEvents = ['console', 'dialog', 'download', 'pageerror', 'popup', 'request', 'websocket'] as const

/** Applies a view. Each page can be changed to it, so that tests of several views share a profile. */
async function show(page: Page, { width, height, colorScheme, reducedMotion }: View): Promise<void> {
  await Promise.all([
    page.setViewportSize({ width: width ?? 1440, height: height ?? 900 }),
    page.emulateMedia({
      media: null,
      forcedColors: 'none',
      colorScheme: colorScheme ?? 'light',
      reducedMotion: reducedMotion ?? 'reduce',
    }),
  ])
}

/** Removes what a visit added to the profile, except what its page has stored. */
async function restore({ context, tab, page }: Profile): Promise<void> {
  const others = context.pages().filter((other) => other !== tab && other !== page)
  // Running route handlers must not fail in a later test.
  await Promise.all([page, ...others].map((open) => open.unrouteAll({ behavior: 'ignoreErrors' })))
  await Promise.all(others.map((other) => other.close()))
  for (const event of pageEvents) await page.removeAllListeners(event, { behavior: 'ignoreErrors' })
  await Promise.all([
    context.clearCookies(),
    context.clearPermissions(),
    context.setOffline(false),
    context.unrouteAll({ behavior: 'ignoreErrors' }),
    page.mouse.move(0, 0),
    show(page, {}),
  ])
}

/**
 * Removes everything that the page has in memory and in storage, except compiled scripts. Returns false if the
 * site cannot be reached.
 */
async function empty({ page, devtools }: Profile, origin: string): Promise<boolean> {
  const reply = await page.goto(origin + picture).catch(() => null)
  if (reply === null) return false
  await page.evaluate(() => sessionStorage.clear())
  const storageTypes = 'local_storage,indexeddb,websql,service_workers,cache_storage,file_systems'
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes })
  return true
}

export type Visitor = {
  /**
   * Opens a page in an empty profile that no concurrent visit shares. It shows a picture of the site, or what
   * `reset` left. Reduced motion is the default.
   */
  visit(baseUrl: string, view?: View): Promise<Visit>
  /** Closes all pages and profiles. */
  close(): Promise<void>
}

/**
 * Returns a visitor with profiles of its own. `reset` may put a page that was used back to its initial state,
 * in memory and in storage, and then returns true. Other pages are unloaded and their storage is emptied.
 */
export function createVisitor(browser: Browser, reset?: (page: Page) => Promise<boolean>): Visitor {
  const contexts = new Set<BrowserContext>()
  /** Unused profiles by the settings that cannot be changed later. */
  const idle = new Map<string, Profile[]>()

  const profileFor = async (options: BrowserContextOptions): Promise<Profile> => {
    const unused = idle.get(JSON.stringify(options))?.pop()
    if (unused !== undefined) return unused
    const profile = await newProfile(browser, options)
    contexts.add(profile.context)
    return profile
  }

  const discard = async ({ context }: Profile): Promise<void> => {
    contexts.delete(context)
    await context.close()
  }

  const release = async (profile: Profile, options: Options): Promise<void> => {
    await restore(profile)
    const isReset = (await reset?.(profile.page)) ?? false
    if (!isReset && !(await empty(profile, new URL(options.baseURL).origin))) return discard(profile)
    const look = JSON.stringify(options)
    idle.set(look, [...(idle.get(look) ?? []), profile])
  }

  return {
    async visit(baseUrl, view = {}) {
      const options = optionsOf(baseUrl, view)
      const profile = await profileFor(options)
      const { page } = profile
      await show(page, view)
      const faults = faultsOf(page)
      let isClosed = false
      const close = async () => {
        if (isClosed) return
        isClosed = true
        // A page that the test closed cannot be used again.
        await (view.isSpoilt === true || page.isClosed() ? discard(profile) : release(profile, options))
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

type Options = ReturnType<typeof optionsOf>

/** Returns the settings of a profile; further pages that a test opens in it have the default view. */
const optionsOf = (baseUrl: string, { timezoneId }: View) =>
  ({
    baseURL: baseUrl,
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-US',
    ...(timezoneId !== undefined && { timezoneId }),
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
