/** `npm run screens`: takes pictures of every page and state, in both themes and two widths. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensure } from '../../scripts/ensure.mjs'
import { log, PlainError, root, script } from '../../scripts/lib/root.mjs'
import { createCamera } from './camera.mjs'
import { chatScreens } from './chats.mjs'
import { writeContactSheet } from './contact-sheet.mjs'
import { dialogs } from './dialogs.mjs'
import { startFixture } from './fixture.mjs'
import { observeScreens } from './observe.mjs'
import { describePicture, readOptions } from './options.mjs'
import { overviewStates } from './overview.mjs'
import { playgroundScreens } from './playground.mjs'
import { limitedPromptScreens, promptScreens } from './prompts.mjs'
import { pageStates } from './states.mjs'
import { workflowScreens } from './workflows.mjs'

const out = join(root, '.cache', 'screens')

const pages = [
  { name: 'overview', path: '/' },
  { name: 'statistics', path: '/statistics' },
  { name: 'runs', path: '/runs' },
  { name: 'sessions', path: '/sessions' },
  { name: 'views', path: '/views' },
  { name: 'audit', path: '/audit' },
  { name: 'clients', path: '/clients' },
  { name: 'alerts', path: '/alerts' },
  { name: 'history', path: '/alert-history' },
  { name: 'prompts', path: '/prompts' },
  { name: 'playground', path: '/playground' },
  { name: 'agents', path: '/agents' },
  { name: 'workflows', path: '/workflows' },
  { name: 'users', path: '/users' },
  { name: 'workspaces', path: '/workspaces' },
  { name: 'providers', path: '/providers' },
  { name: 'tokens', path: '/tokens' },
  { name: 'settings', path: '/settings' },
  { name: 'profile', path: '/profile' },
]
const withDrawer = ['runs', 'audit', 'users', 'workspaces', 'clients', 'alerts']

/**
 * @typedef {{ camera: import('./camera.mjs').Camera, fixture: import('./fixture.mjs').Fixture,
 *   options: import('./options.mjs').Options, scheme: string, width: number, suffix: string }} Round
 */

/**
 * Takes pictures of pages, drawers and dialogs for an admin.
 * @param {Round} round @param {import('playwright').Page} page
 */
async function adminScreens({ camera: { waitForPage, shoot }, fixture, options, suffix }, page) {
  const { url } = fixture.busy
  for (const { name, path } of pages.filter((one) => options.wantsPage(one.name))) {
    await page.goto(url + path)
    await waitForPage(page)
    await shoot(page, `${name}-${suffix}`)
  }
  for (const name of withDrawer.filter((one) => options.wantsPage(one))) {
    await page.goto(`${url}/${name}`)
    await page.locator('tbody tr[data-row-id]').first().locator('td[data-col]').first().click()
    await page.getByTestId('drawer').waitFor()
    await waitForPage(page)
    await shoot(page, `${name}-drawer-${suffix}`)
  }
  for (const { name, path, open } of dialogs) {
    if (!options.wantsPage(describePicture(name).page)) continue
    // A new document each time, because only then the page scrolls to the section in its address.
    await page.goto('about:blank')
    await page.goto(url + path)
    await waitForPage(page)
    await open(page)
    await waitForPage(page)
    await shoot(page, `${name}-${suffix}`)
  }
}

/**
 * Takes pictures of prompts, the Playground, agents and workflows in use.
 * @param {Round} round @param {import('playwright').Page} page
 */
async function flowScreens({ camera: { waitForPage, shoot }, fixture, options, suffix }, page) {
  const { busy, prompts, chats, workflows, records } = fixture
  const shared = { page, url: busy.url, suffix, shoot, waitForPage }
  if (options.wantsPage('prompt', 'prompts')) await promptScreens({ ...shared, prompts })
  if (options.wantsPage('chat')) await chatScreens({ ...shared, chats })
  if (options.wantsPage('playground')) await playgroundScreens({ ...shared, prompts })
  if (options.wantsPage('session', 'run', 'compare', 'statistics', 'runs')) {
    await observeScreens({ ...shared, records })
  }
  if (options.wantsPage('agents', 'agent', 'workflow', 'execution')) {
    await workflowScreens({ ...shared, workflows })
  }
}

/** Takes pictures of a prompt for a viewer and an editor. @param {Round} round */
async function limitedScreens({ camera, fixture, options, scheme, width, suffix }) {
  const { open, waitForPage, shoot } = camera
  if (!options.wantsPage('prompt')) return
  const { busy, prompts } = fixture
  for (const as of /** @type {const} */ (['viewer', 'editor'])) {
    const page = await open({ url: busy.url, bearer: busy[as], scheme, width })
    await limitedPromptScreens({ page, url: busy.url, prompts, as, suffix, shoot, waitForPage })
    await page.context().close()
  }
}

/** Takes pictures of the sign-in page. @param {Round} round */
async function loginScreen({ camera: { open, shoot }, fixture, options, scheme, width, suffix }) {
  if (!options.wantsPage('login')) return
  const page = await open({ url: fixture.busy.url, scheme, width })
  await page.goto(`${fixture.busy.url}/login`)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await shoot(page, `login-${suffix}`)
  await page.context().close()
}

/** Takes all pictures of one theme and width. @param {Round} round */
async function takeAll(round) {
  const { camera, fixture, options, scheme, width, suffix } = round
  const { open, waitForPage, shoot } = camera
  const { busy, fresh } = fixture
  const page = await open({ url: busy.url, bearer: busy.admin, scheme, width })
  await adminScreens(round, page)
  await flowScreens(round, page)
  await page.context().close()
  await limitedScreens(round)
  await loginScreen(round)
  if (options.wantsPage('overview')) {
    const openAt = (/** @type {number} */ size) =>
      open({ url: busy.url, bearer: busy.edda, scheme, width: size })
    await overviewStates({ shoot, waitForPage, scheme, width, open: openAt, url: busy.url })
  }
  await pageStates({
    pages: pages.filter(({ name }) => name !== 'profile' && options.wantsPage(name)),
    open: (where) => open({ ...where, scheme, width }),
    shoot,
    waitForPage,
    busy: { url: busy.url, viewer: busy.viewer, editor: busy.edda },
    fresh,
    suffix,
  })
}

await script(async () => {
  const options = readOptions(process.argv.slice(2))
  await ensure(['server', 'console'])
  // A partial run replaces its own pictures and keeps the others.
  if (!options.isPartial) await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  const camera = await createCamera({ out, wantsPicture: options.wantsPicture })
  try {
    const fixture = await startFixture()
    try {
      for (const scheme of options.themes) {
        for (const width of options.widths) {
          await takeAll({ camera, fixture, options, scheme, width, suffix: `${scheme}-${width}` })
        }
      }
    } finally {
      await fixture.stop()
    }
  } finally {
    await camera.close()
  }
  if (camera.taken() === 0) throw new PlainError('No page or picture has this name.')
  log(`${camera.taken()} pictures; contact sheet: ${await writeContactSheet(out)}`)
})
