import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The browser the tests drive: `CHROMIUM_PATH`, else the first known name on PATH. Nothing is downloaded. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
  const given = env['CHROMIUM_PATH']
  if (given !== undefined && given !== '') {
    if (isExecutable(given)) return given
    throw new Error(`CHROMIUM_PATH is ${given}, which cannot be run`)
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find(isExecutable)
    if (found !== undefined) return found
  }
  throw new Error(`No Chromium found: set CHROMIUM_PATH, or put ${names.join(' or ')} on PATH`)
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium(), args: flags, headless: true })

export type View = {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly reducedMotion?: 'reduce' | 'no-preference'
}

export type Visit = {
  readonly page: Page
  /** What went wrong on the page: uncaught errors and console errors, CSP refusals among them. */
  readonly faults: readonly string[]
  readonly close: () => Promise<void>
}

/** Refused requests are logged by the browser itself; the tests that provoke them look at the answer instead. */
const isRefusedRequest = (text: string): boolean => text.startsWith('Failed to load resource')

/** A page of a fresh profile, which no other visit shares anything with. Motion is off unless asked for. */
export async function visit(browser: Browser, baseUrl: string, view: View = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: { width: view.width ?? 1440, height: view.height ?? 900 },
    colorScheme: view.colorScheme ?? 'light',
    reducedMotion: view.reducedMotion ?? 'reduce',
    locale: 'en-US',
  })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefusedRequest(message.text())) faults.push(message.text())
  })
  return { page, faults, close: () => context.close() }
}
