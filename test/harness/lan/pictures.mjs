// @ts-check
// `node test/harness/lan/pictures.mjs`: takes pictures of each step of docs/lan.md in both themes into .cache/lan/, on two
// machines as in `run.mjs`. The admin uses the console on the machine of the service, the teammate a phone. Then composes
// lan-admin.png and lan-teammate.png for docs/images; `pngquant 64` and `cwebp -lossless` compress them.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensure } from '../../../scripts/ensure.mjs'
import { root, script } from '../../../scripts/lib/root.mjs'
import { eventually, lanPort, loopback, serviceToken, startFixture } from './fixture.mjs'

/** @typedef {import('playwright').Page} Page */

const out = join(root, '.cache', 'lan')
const address = '10.77.0.1'
const password = 'a long phrase of the mate'

/**
 * Saves a picture of a page, or of a part, in both themes.
 * @param {Page} page @param {string} name @param {{ fullPage?: boolean, part?: string }} [options]
 */
async function shoot(page, name, { fullPage = false, part } = {}) {
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(() => document.querySelector('.mantine-Skeleton-root') === null)
  await page.evaluate(() => document.fonts.ready)
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The console notices the theme in an event, and colours then change in transitions.
    await page.evaluate(async () => {
      for (let frame = 0; frame < 2; frame += 1) await new Promise((done) => requestAnimationFrame(done))
      const running = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
      await Promise.allSettled(running.map(({ finished }) => finished))
    })
    const path = join(out, `${name}-${colorScheme}.png`)
    if (part === undefined) await page.screenshot({ path, fullPage })
    else await page.locator(part).screenshot({ path })
  }
  process.stdout.write(`${name}\n`)
}

/** Opens the console of the admin. @param {import('playwright').Browser} browser */
async function openConsole(browser) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } })
  await page.goto(`${loopback}/favicon.svg`)
  await page.evaluate((token) => sessionStorage.setItem('promptdeck.token', token), serviceToken)
  return page
}

/** The admin turns sharing on. @param {Page} page @param {import('./fixture.mjs').Fixture} fixture */
async function adminShares(page, fixture) {
  await page.goto(`${loopback}/settings#network`)
  await page.getByText('Not shared', { exact: false }).first().waitFor()
  await shoot(page, 'admin-1-blocked')
  await fixture.share()
  await page.goto('about:blank')
  await page.goto(`${loopback}/settings#network`)
  await page.getByRole('button', { name: 'Stop sharing' }).waitFor()
  await shoot(page, 'admin-2-shared')
  await shoot(page, 'part-shared', { part: '#network' })
}

/** The admin opens a window. Returns the text of the QR code. @param {Page} page */
async function adminShowsCode(page) {
  await page.goto(`${loopback}/devices`)
  await page.getByRole('button', { name: 'Add device' }).first().waitFor()
  await shoot(page, 'admin-3-no-devices')
  await page.getByRole('button', { name: 'Add device' }).first().click()
  await page.getByRole('button', { name: 'Show code' }).waitFor()
  await shoot(page, 'admin-4-rights')
  const opened = page.waitForResponse(
    (reply) => reply.url().endsWith('/api/pairing') && reply.status() === 201,
  )
  await page.getByRole('button', { name: 'Show code' }).click()
  const { data } = await (await opened).json()
  await page.getByText(data.words[0]).first().waitFor()
  await shoot(page, 'admin-5-code')
  await shoot(page, 'part-code', { part: '[role="dialog"]' })
  return data
}

/** The teammate reads the trust page. @param {Page} page @param {import('./fixture.mjs').Fixture} fixture */
async function mateTrusts(page, fixture) {
  await page.goto(`http://${address}:${lanPort}`)
  await shoot(page, 'mate-1-trust')
  await shoot(page, 'mate-1-trust-whole', { fullPage: true })
  await page.getByText('Android', { exact: true }).click()
  await page.getByText('Android', { exact: true }).scrollIntoViewIfNeeded()
  await shoot(page, 'mate-2-steps')
  const { text } = await fixture.send(fixture.machines.mate, `GET http://${address}:${lanPort}/ca.pem`)
  writeFileSync(fixture.authority, text)
  await fixture.trustAuthority()
}

/** The teammate asks for access. @param {Page} page @param {string} qr */
async function mateAsks(page, qr) {
  await page.goto(qr)
  await page.getByLabel('Name of this device').waitFor()
  await shoot(page, 'mate-3-pair')
  await page.getByLabel('Name of this device').fill("Edda's phone")
  await page.getByLabel('Username').fill('edda')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Request access' }).click()
  await page.getByText('Waiting for an admin').waitFor()
  await shoot(page, 'mate-4-waiting')
}

const style = `body { margin: 0; padding: 20px; background: #e9ebf0; font: 600 17px/1.4 system-ui, sans-serif; color: #1b1d25 }
main { display: flex; gap: 20px; align-items: flex-start } figure { margin: 0 } figcaption { margin-bottom: 10px }
img { display: block; width: 100%; border-radius: 10px; box-shadow: 0 1px 4px #0003 }`

/**
 * Composes pictures beside each other, with captions.
 * @param {import('playwright').Browser} browser @param {string} name @param {readonly (readonly [caption: string, picture: string, width: number])[][]} columns
 */
async function compose(browser, name, columns) {
  const page = await browser.newPage({ viewport: { width: 1320, height: 400 } })
  const figure = (/** @type {readonly [string, string, number]} */ [caption, picture, width]) => {
    const data = readFileSync(join(out, `${picture}-light.png`)).toString('base64')
    return `<figure style="width:${width}px;margin-bottom:20px"><figcaption>${caption}</figcaption><img src="data:image/png;base64,${data}"></figure>`
  }
  const html = columns.map((column) => `<div>${column.map(figure).join('')}</div>`).join('')
  await page.setContent(`<style>${style}</style><main>${html}</main>`)
  await page.screenshot({ path: join(out, `${name}.png`), fullPage: true })
}

/** @param {import('playwright').Browser} browser */
async function composeAll(browser) {
  await compose(browser, 'lan-admin', [
    [['1. Settings › Network: share, and read the four words', 'part-shared', 640]],
    [
      ['2. Devices › Add device: show the code', 'part-code', 620],
      ['3. Compare the words and approve', 'part-request', 620],
    ],
  ])
  await compose(browser, 'lan-teammate', [
    [['1. Compare, trust', 'mate-1-trust', 305]],
    [['2. Scan, request access', 'mate-3-pair', 305]],
    [['3. Wait for the admin', 'mate-4-waiting', 305]],
    [['4. Signed in', 'mate-5-signed-in', 305]],
  ])
}

/**
 * Takes pictures of the other results of pairing: not paired, wrong code, refused.
 * @param {Page} page @param {Page} console @param {import('./fixture.mjs').Fixture} fixture
 */
async function otherEnds(page, console, { admin, lan }) {
  await page.context().clearCookies()
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await page.goto('about:blank')
  await page.goto(lan('/login'))
  await page.getByRole('button').first().waitFor()
  await page.getByLabel('Username').fill('edda')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('not paired').waitFor()
  await shoot(page, 'mate-6-unpaired-sign-in')
  await page.goto(lan('/pair'))
  await page.getByLabel('Pairing code').waitFor()
  await shoot(page, 'mate-7-code')
  await page.getByLabel('Pairing code').fill('AAAA-BBBB')
  await page.getByLabel('Name of this device').fill('Tablet')
  await page.getByLabel('Username').fill('otto')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Request access' }).click()
  await page.getByText('The code is wrong').first().waitFor()
  await shoot(page, 'mate-8-wrong-code')
  const { data } = await admin('POST /api/pairing', { role: 'viewer' })
  await page.getByLabel('Pairing code').fill(data.code)
  await page.getByRole('button', { name: 'Request access' }).click()
  await page.getByText('Waiting for an admin').waitFor()
  await console.goto(`${loopback}/devices`)
  await console.getByRole('button', { name: 'Refuse request' }).first().waitFor()
  await shoot(console, 'admin-8-request-on-page')
  const requests = await admin('GET /api/pairing/requests')
  const pending = requests.data.find((/** @type {any} */ { status }) => status === 'pending')
  await admin(`POST /api/pairing/requests/${pending.id}/refuse`)
  await page.getByText('The request was refused').waitFor()
  await shoot(page, 'mate-9-refused')
}

await script(async () => {
  await ensure(['server', 'console'])
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const fixture = await startFixture(address)
  const { machines, admin } = fixture
  try {
    const adminBrowser = await fixture.openBrowser(machines.server)
    const console = await openConsole(adminBrowser)
    await adminShares(console, fixture)
    const phone = { viewport: { width: 390, height: 844 } }
    const stranger = await fixture.openBrowser(machines.mate)
    await mateTrusts(await stranger.newPage(phone), fixture)
    await stranger.close()
    const { qr } = await adminShowsCode(console)
    const mateBrowser = await fixture.openBrowser(machines.mate)
    const page = await mateBrowser.newPage(phone)
    await mateAsks(page, qr)
    await console.getByRole('button', { name: 'Approve request' }).waitFor()
    await shoot(console, 'admin-6-request')
    await shoot(console, 'part-request', { part: '[role="dialog"]' })
    await console.getByRole('button', { name: 'Approve request' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await shoot(page, 'mate-5-signed-in')
    await console.goto(`${loopback}/devices`)
    await console.getByText("Edda's phone").first().waitFor()
    await shoot(console, 'admin-7-devices')
    const { data } = await admin('GET /api/devices')
    await admin(`DELETE /api/devices/${data[0].id}`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await shoot(page, 'mate-5-revoked')
    await eventually(async () => (await admin('GET /api/devices')).data.length === 0)
    await otherEnds(page, console, fixture)
    await composeAll(adminBrowser)
    await mateBrowser.close()
    await adminBrowser.close()
  } finally {
    await fixture.stop()
  }
})
