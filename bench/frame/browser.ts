import { type Browser, type CDPSession, chromium, type Page } from 'playwright'
import { token } from './processes.ts'

/** Processor slowdown while a page loads, as a factor: a fast desktop is then as slow as a weak laptop. */
export const slowdown = 4

/** The load of a page with an empty cache. Times are in milliseconds since the navigation. */
export type PageLoad = {
  readonly firstPaint: number
  /** The first paint, or the end of the last long task if that is later. */
  readonly interactive: number
  /** The longest task of the main thread; 0 if none took more than 50 ms. */
  readonly longestTask: number
  /** Names of the scripts that the page loaded. */
  readonly scripts: readonly string[]
  /** Bytes of the scripts on the network, headers included. */
  readonly scriptBytes: number
}

/** Starts the Chromium that `CHROMIUM_PATH` names, or returns null if it names none. Downloads nothing. */
export async function startBrowser(): Promise<Browser | null> {
  const executablePath = process.env['CHROMIUM_PATH']
  if (executablePath === undefined) return null
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
}

/** Runs in the page before its scripts: signs in and records the long tasks. */
const prepare = `
  sessionStorage.setItem('promptdeck.token', ${JSON.stringify(token)})
  window.longTasks = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.longTasks.push({ startTime, duration })
  }).observe({ type: 'longtask', buffered: true })`

type LongTask = { readonly startTime: number; readonly duration: number }

/**
 * Loads a page in a new profile with a slow processor, until `readySelector` matches an element and the
 * network is idle.
 */
export async function loadPage(browser: Browser, url: string, readySelector: string): Promise<PageLoad> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    await page.addInitScript(prepare)
    const devtools = await context.newCDPSession(page)
    const network = await recordScripts(devtools)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await page.goto(url)
    await page.locator(readySelector).first().waitFor()
    await page.waitForLoadState('networkidle')
    return { ...(await timesOf(page)), ...network }
  } finally {
    await context.close()
  }
}

async function timesOf(page: Page) {
  // The browser may report the paint only after the network is idle.
  const painted = await page.waitForFunction(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`,
  )
  const firstPaint = (await painted.jsonValue()) as number
  const tasks: LongTask[] = await page.evaluate('window.longTasks')
  return {
    firstPaint,
    interactive: Math.max(firstPaint, ...tasks.map(({ startTime, duration }) => startTime + duration)),
    longestTask: Math.max(0, ...tasks.map(({ duration }) => duration)),
  }
}

/** Returns an object to which the scripts of a page are added while it loads. */
async function recordScripts(devtools: CDPSession) {
  const found = { scripts: [] as string[], scriptBytes: 0 }
  const requests = new Set<string>()
  devtools.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type !== 'Script') return
    requests.add(requestId)
    found.scripts.push(new URL(response.url).pathname)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (requests.has(requestId)) found.scriptBytes += encodedDataLength
  })
  await devtools.send('Network.enable')
  return found
}
