import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { ensure } from '../../scripts/ensure.mjs'
import { findChromium } from '../../scripts/lib/chromium.mjs'
import { log, PlainError, script } from '../../scripts/lib/root.mjs'
import { post, send, startService } from '../screens/service.mjs'
import { addressesOf, consoleRoutes, makeContent } from '../support/routes.mjs'

const usage = `Usage: node test/lighthouse/run.mjs --from <folder> [--only <route>,…]
Measures every page of the console with Lighthouse 12. The folder contains it:
  npm install --prefix <folder> --ignore-scripts lighthouse@12.8.2`

const categories = /** @type {const} */ (['performance', 'accessibility', 'best-practices', 'seo'])
/** Not a dependency of this repository: it is loaded from the given folder. */
const packageName = 'lighthouse'
/** The lowest score that passes. */
const minScore = 95
/**
 * Categories that decide. Performance depends on the machine, and search engines never see the console, so both are
 * only printed.
 */
const decisive = new Set(['accessibility', 'best-practices'])
const password = 'a phrase for measurements'

/** Loads Lighthouse and its browser client from a folder outside of the repository. @param {string} folder */
async function loadTools(folder) {
  const require = createRequire(join(resolve(folder), 'package.json'))
  const load = async (/** @type {string} */ name, /** @type {NodeRequire} */ from) =>
    import(pathToFileURL(from.resolve(name)).href)
  try {
    const lighthouse = await load(packageName, require)
    const puppeteer = await load('puppeteer-core', createRequire(require.resolve(packageName)))
    return { lighthouse, puppeteer: puppeteer.default }
  } catch (cause) {
    throw new PlainError(`Lighthouse was not found in ${folder}.\n${usage}`, { cause })
  }
}

/** Returns the session tokens of an admin and of a user who must change the password. @param {string} url */
async function signIn(url) {
  const login = async (/** @type {string} */ username) =>
    (await post(url, '/api/login', { username, password }, null)).token
  await post(url, '/api/users', { username: 'ada', password, role: 'admin' })
  await post(url, '/api/users', {
    username: 'newcomer',
    password,
    role: 'viewer',
    must_change_password: true,
  })
  return { admin: await login('ada'), newcomer: await login('newcomer') }
}

/**
 * Returns the failed audits of a category, one line each.
 * @param {ReturnType<typeof JSON.parse>} lhr the result of Lighthouse @param {string} category
 */
function failedAudits(lhr, category) {
  return lhr.categories[category].auditRefs.flatMap((/** @type {{ id: string }} */ { id }) => {
    const { score, scoreDisplayMode, title, details } = lhr.audits[id]
    if (scoreDisplayMode !== 'binary' || score === null || score >= 1) return []
    const selectors = (details?.items ?? []).flatMap(
      (/** @type {{ node?: { selector?: string } }} */ item) => item.node?.selector ?? [],
    )
    return [`  ${category}: ${id} (${title}) ${selectors.slice(0, 3).join(' | ')}`]
  })
}

/**
 * Measures a page in a new profile, prints its scores and failed audits, and returns false if a score is too low.
 * @param {{ browser: ReturnType<typeof JSON.parse>, lighthouse: ReturnType<typeof JSON.parse>, route: string,
 *   address: string, token: string | null }} options
 */
async function measure({ browser, lighthouse, route, address, token }) {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  if (token !== null)
    await page.evaluateOnNewDocument((/** @type {string} */ value) => {
      sessionStorage.setItem('promptdeck.token', value)
    }, token)
  const flags = { disableStorageReset: true, onlyCategories: categories, logLevel: 'error' }
  const { lhr } = await lighthouse.default(address, flags, lighthouse.desktopConfig, page)
  await context.close()
  const scores = categories.map((name) => ({
    name,
    score: Math.round(100 * (lhr.categories[name].score ?? 0)),
  }))
  const cells = scores.map(({ name, score }) => String(score).padStart(name.length))
  log([route.padEnd(22), ...cells].join('  '))
  for (const line of categories.flatMap((name) => failedAudits(lhr, name))) log(line)
  return scores.every(({ name, score }) => !decisive.has(name) || score >= minScore)
}

await script(async () => {
  const { values } = parseArgs({ options: { from: { type: 'string' }, only: { type: 'string' } } })
  if (values.from === undefined) throw new PlainError(usage)
  const { lighthouse, puppeteer } = await loadTools(values.from)
  const executablePath = findChromium()
  if (executablePath === null) throw new PlainError('No Chromium found: install one or set CHROMIUM_PATH.')
  await ensure(['server', 'console'])
  const folder = await mkdtemp(join(tmpdir(), 'promptdeck-lighthouse-'))
  const service = await startService(folder)
  const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const failed = []
  try {
    const content = await makeContent((method, path, body) => send(method, service.url, path, body))
    const addresses = addressesOf(content)
    const { admin, newcomer } = await signIn(service.url)
    const only = values.only?.split(',')
    log(['route'.padEnd(22), ...categories].join('  '))
    for (const route of consoleRoutes().filter((name) => only?.includes(name) ?? true)) {
      const token = route === '/login' ? null : route === '/password' ? newcomer : admin
      const address = service.url + (addresses[route] ?? route)
      if (!(await measure({ browser, lighthouse, route, address, token }))) failed.push(route)
    }
  } finally {
    await browser.close()
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  }
  if (failed.length > 0) throw new PlainError(`Below ${minScore}: ${failed.join(', ')}`)
})
