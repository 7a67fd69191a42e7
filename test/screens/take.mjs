import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { WebSocket } from 'ws'
import { ensure } from '../../scripts/ensure.mjs'
import { findChromium } from '../../scripts/lib/chromium.mjs'
import { root, say } from '../../scripts/lib/root.mjs'
import { dialogs } from './dialogs.mjs'
import { overviewStates } from './overview.mjs'
import { playgroundScreens } from './playground.mjs'
import { limitedPromptScreens, makePrompts, promptScreens } from './prompts.mjs'
import { post, send, startService, token } from './service.mjs'
import { pageStates } from './states.mjs'
import { makeWorkflows, workflowScreens } from './workflows.mjs'

/**
 * `npm run screens`: every page of the console and each of its states, in both themes and two widths, with plausible
 * data, into docs/screens/. `light` or `dark` alone takes one theme.
 */
const out = join(root, 'docs', 'screens')
const only = process.argv.slice(2)
const widths = [1440, 900]
const schemes = ['light', 'dark'].filter((scheme) => only.length === 0 || only.includes(scheme))

const pages = [
  { name: 'overview', path: '/' },
  { name: 'runs', path: '/runs' },
  { name: 'audit', path: '/audit' },
  { name: 'clients', path: '/clients' },
  { name: 'prompts', path: '/prompts' },
  { name: 'playground', path: '/playground' },
  { name: 'agents', path: '/agents' },
  { name: 'workflows', path: '/workflows' },
  { name: 'users', path: '/users' },
  { name: 'workspaces', path: '/workspaces' },
  { name: 'providers', path: '/providers' },
  { name: 'settings', path: '/settings' },
  { name: 'profile', path: '/profile' },
]

/** Apps that listen while the pictures are taken. @param {string} url */
async function connectApps(url) {
  const apps = [
    'client=node-sdk&app=checkout&namespace=prod',
    'client=node-sdk&app=checkout&namespace=prod',
    'client=python-sdk&app=support-bot&namespace=prod',
    'client=java-sdk&app=billing&namespace=test',
    'client=node-sdk&app=storefront&namespace=dev',
  ]
  const sockets = apps.map(
    (query) =>
      new WebSocket(`${url.replace('http', 'ws')}/ws?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      }),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'message')))
  const told = [
    { sdk_version: '0.1.0', keys: ['greet', 'support/answer'] },
    { sdk_version: '0.1.0', keys: ['greet'] },
    { sdk_version: '0.0.9', keys: ['support/answer', 'support/retired'] },
    { sdk_version: '0.1.0', keys: [] },
  ]
  for (const [index, hello] of told.entries()) {
    sockets[index]?.send(JSON.stringify({ type: 'hello', ...hello }))
  }
  return () => {
    for (const socket of sockets) socket.close()
  }
}

/** @param {import('playwright-core').Browser} browser */
async function open(browser, { url = '', bearer = '', scheme = 'light', width = 1440 }) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme === 'dark' ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(`${url}/favicon.svg`)
  if (bearer) await page.evaluate((value) => sessionStorage.setItem('promptdeck.token', value), bearer)
  return page
}

/** @param {import('playwright-core').Page} page @param {string} name */
async function shoot(page, name) {
  await page.evaluate(() => document.fonts.ready)
  // Away from anything that answers to a pointer.
  await page.mouse.move(0, 899)
  await page.screenshot({ path: join(out, `${name}.png`) })
  say(name)
}

/** Waits until the page shows what it has. @param {import('playwright-core').Page} page */
async function settled(page) {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(() => document.querySelector('.mantine-Skeleton-root') === null)
}

await ensure(['server', 'console'])
const executablePath = findChromium()
if (executablePath === null) throw new Error('No Chromium found: install one or set CHROMIUM_PATH.')
await mkdir(out, { recursive: true })
const scratch = await mkdtemp(join(tmpdir(), 'promptdeck-screens-'))
const full = join(scratch, 'full')
const seeded = spawnSync(
  process.execPath,
  [join(root, 'dist/server/tools/seed.js'), '--runs', '20000', '--days', '14', '--data-dir', full],
  { stdio: 'inherit' },
)
if (seeded.status !== 0) throw new Error('seeding failed')
const [busy, fresh] = [await startService(full), await startService(join(scratch, 'fresh'))]
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
const leave = await connectApps(busy.url)
const prompts = await makePrompts(busy.url)
const made = await makeWorkflows(busy.url)
try {
  const admin = (await post(busy.url, '/api/login', { username: 'admin', password: 'admin' }, null)).token
  // Nobody works for long with the built-in password: the pictures of a service in use do without its banner.
  const passwords = { current_password: 'admin', new_password: 'a phrase for pictures' }
  await send('PUT', busy.url, '/api/me/password', passwords, admin)
  await post(busy.url, '/api/users', {
    username: 'vera-viewer',
    password: 'a phrase for pictures',
    role: 'viewer',
  })
  const viewer = (
    await post(busy.url, '/api/login', { username: 'vera-viewer', password: 'a phrase for pictures' }, null)
  ).token
  await post(busy.url, '/api/users', {
    username: 'emil-editor',
    password: 'a phrase for pictures',
    role: 'editor',
  })
  const editor = (
    await post(busy.url, '/api/login', { username: 'emil-editor', password: 'a phrase for pictures' }, null)
  ).token
  const edda = (
    await post(busy.url, '/api/login', { username: 'edda', password: 'a sample for trying out' }, null)
  ).token
  const newcomer = (await post(fresh.url, '/api/login', { username: 'admin', password: 'admin' }, null)).token

  for (const scheme of schemes) {
    for (const width of widths) {
      const page = await open(browser, { url: busy.url, bearer: admin, scheme, width })
      for (const { name, path } of pages) {
        await page.goto(busy.url + path)
        await settled(page)
        await shoot(page, `${name}-${scheme}-${width}`)
      }
      for (const name of ['runs', 'audit', 'users', 'workspaces', 'clients']) {
        await page.goto(`${busy.url}/${name}`)
        await page.locator('tbody tr[data-row-id]').first().locator('td[data-col]').first().click()
        await page.getByTestId('drawer').waitFor()
        await settled(page)
        await shoot(page, `${name}-drawer-${scheme}-${width}`)
      }
      for (const { name, path, open: openDialog } of dialogs) {
        // A new document each: only then does the page go to the group its address names.
        await page.goto('about:blank')
        await page.goto(busy.url + path)
        await settled(page)
        await openDialog(page)
        await settled(page)
        await shoot(page, `${name}-${scheme}-${width}`)
      }
      const suffix = `${scheme}-${width}`
      await promptScreens({ page, url: busy.url, prompts, suffix, shoot, settled })
      await playgroundScreens({ page, url: busy.url, prompts, suffix, shoot, settled })
      await workflowScreens({ page, url: busy.url, made, suffix, shoot, settled })
      await page.context().close()
      for (const [as, bearer] of Object.entries({ viewer, editor })) {
        const other = await open(browser, { url: busy.url, bearer, scheme, width })
        const who = as === 'viewer' ? 'viewer' : 'editor'
        await limitedPromptScreens({ page: other, url: busy.url, prompts, as: who, suffix, shoot, settled })
        await other.context().close()
      }
      const stranger = await open(browser, { url: busy.url, scheme, width })
      await stranger.goto(`${busy.url}/login`)
      await stranger.getByRole('button', { name: 'Sign in' }).waitFor()
      await shoot(stranger, `login-${scheme}-${width}`)
      await stranger.context().close()
      await overviewStates({
        shoot,
        settled,
        scheme,
        width,
        open: (size) => open(browser, { url: busy.url, bearer: edda, scheme, width: size }),
        url: busy.url,
      })
      await pageStates({
        pages: pages.filter(({ name }) => name !== 'profile'),
        open: (where) => open(browser, { ...where, scheme, width }),
        shoot,
        settled,
        busy: { url: busy.url, viewer, editor: edda },
        fresh: { url: fresh.url, newcomer },
        suffix,
      })
    }
  }
} finally {
  leave()
  prompts.leave()
  await browser.close()
  await busy.stop()
  await fresh.stop()
  await rm(scratch, { recursive: true, force: true })
}
