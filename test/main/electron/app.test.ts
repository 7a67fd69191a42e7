import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { electronBinary } from '../../../scripts/lib/electron.mjs'
import { serviceToken } from '../../support/service.ts'
import { top } from '../../support/source-tree.ts'
import { eventually } from '../support/desktop.ts'

/**
 * The app in the Electron version that it ships with. `npm test` runs this if the binary and a display exist,
 * and reports NOT RUN otherwise.
 */
const executablePath = electronBinary()

let dataDir: string
let app: ElectronApplication
let page: Page
beforeEach(async () => {
  // Without a path Playwright would import the package `electron`, which downloads the binary.
  if (executablePath === null) throw new Error('Electron is not installed; npm test skips this file')
  dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-electron-'))
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', SERVICE_TOKEN: serviceToken }
  const defined = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  app = await _electron.launch({ executablePath, args: [top], env: Object.fromEntries(defined) })
  page = await app.firstWindow()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})
afterEach(async () => {
  await app.close()
  await rm(dataDir, { recursive: true, force: true })
})

const origin = () => new URL(page.url()).origin
const isUp = (url: string) =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
const servicePid = () =>
  app.evaluate(
    ({ app: shell }) => shell.getAppMetrics().find(({ name }) => name === 'Promptdeck service')?.pid,
  )

it('shows the console of its own service, isolated', async () => {
  expect(await isUp(origin())).toBe(true)
  expect(await page.evaluate('[typeof require, typeof process, typeof promptdeck]')).toEqual([
    'undefined',
    'undefined',
    'object',
  ])
  expect(await page.evaluate('promptdeck.state()')).toMatchObject({ isAttached: false, opensAtSignIn: null })
  expect(await page.evaluate('Notification.requestPermission()')).toBe('denied')
  // Recorded instead of opened: a test must not open a browser.
  await app.evaluate(({ shell }) => {
    Object.assign(globalThis, { outside: [] })
    shell.openExternal = async (url) => void Reflect.get(globalThis, 'outside').push(url)
  })
  await page.evaluate(`window.open('file:///')`)
  await page.evaluate(`window.open('https://promptdeck.invalid/a')`)
  await page.evaluate(`location.href = 'https://promptdeck.invalid/b'`)
  await eventually(() => app.evaluate(() => Reflect.get(globalThis, 'outside'))).toEqual([
    'https://promptdeck.invalid/a',
    'https://promptdeck.invalid/b',
  ])
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(app.windows()).toHaveLength(1)
})

it('restarts the service when it ends', async () => {
  const before = await servicePid()
  expect(before).toBeGreaterThan(0)
  process.kill(before ?? 0, 'SIGKILL')
  await eventually(servicePid).not.toBe(before)
  await eventually(() => isUp(origin())).toBe(true)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})

it('ends with its service', async () => {
  const url = origin()
  await app.close()
  await eventually(() => isUp(url)).toBe(false)
})
