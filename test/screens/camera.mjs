import { join } from 'node:path'
import { chromium } from 'playwright'
import { findChromium } from '../../scripts/lib/chromium.mjs'
import { log } from '../../scripts/lib/root.mjs'

/** @typedef {import('playwright').Page} Page */
/** @typedef {Awaited<ReturnType<typeof createCamera>>} Camera */

/** Waits until the page has loaded and its data is displayed. @param {Page} page */
async function waitForPage(page) {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(() => document.querySelector('.mantine-Skeleton-root') === null)
}

/**
 * Starts a browser that opens pages of the console and saves pictures of them.
 * @param {{ out: string, wantsPicture: (name: string) => boolean }} options
 */
export async function createCamera({ out, wantsPicture }) {
  const executablePath = findChromium()
  if (executablePath === null) throw new Error('No Chromium found: install one or set CHROMIUM_PATH.')
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
  let count = 0
  return {
    waitForPage,
    /**
     * Opens a page of a new profile, signed in if a token is given.
     * @param {{ url: string, bearer?: string, scheme: string, width: number }} options
     */
    async open({ url, bearer, scheme, width }) {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: scheme === 'dark' ? 'dark' : 'light',
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      await page.goto(`${url}/favicon.svg`)
      if (bearer) await page.evaluate((value) => sessionStorage.setItem('promptdeck.token', value), bearer)
      return page
    },
    /** Saves a picture of the page if its name is requested. @param {Page} page @param {string} name */
    async shoot(page, name) {
      if (!wantsPicture(name)) return
      await page.evaluate(() => document.fonts.ready)
      // A position at which no element reacts to the pointer.
      await page.mouse.move(0, 899)
      await page.screenshot({ path: join(out, `${name}.png`) })
      count += 1
      log(name)
    },
    taken: () => count,
    close: () => browser.close(),
  }
}
