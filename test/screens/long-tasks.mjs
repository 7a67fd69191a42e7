import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { WebSocket } from 'ws'
import { ensure } from '../../scripts/ensure.mjs'
import { findChromium } from '../../scripts/lib/chromium.mjs'
import { log, root } from '../../scripts/lib/root.mjs'
import { post, startService, token } from './service.mjs'

/**
 * `node test/screens/long-tasks.mjs [runs] [clients]`: measures how lists use the browser's main thread.
 * Prints for each action the number of tasks longer than 50 ms and the longest, with that many stored runs
 * and connected clients, and while 1,000 runs per second arrive. It only measures and never fails.
 */
const [runs = 100_000, clients = 1_000] = process.argv.slice(2).map(Number)
const burstSeconds = 10

/** @typedef {import('playwright').Page} Page */

/**
 * Returns the durations of tasks longer than 50 ms since the last call. @param {Page} page @returns
 * {Promise<number[]>}
 */
const longTasks = (page) => page.evaluate(`(window.longTasks ?? []).splice(0)`)

/** @typedef {{ name: string, ph: string, ts: number, dur: number, tdur: number, pid: number, tid: number }} TraceEvent */

/**
 * Returns the longest task in CPU time, and its largest part. On a busy machine tasks also wait, so only CPU
 * time shows their cost.
 * @param {Page} page @param {() => Promise<unknown>} work
 */
async function longestCpuTask(page, work) {
  const devtools = await page.context().newCDPSession(page)
  /** @type {TraceEvent[]} */
  const events = []
  devtools.on('Tracing.dataCollected', ({ value }) => {
    for (const event of /** @type {TraceEvent[]} */ (value)) {
      // The main thread of a renderer has the id of its process.
      if (event.ph === 'X' && event.pid === event.tid) events.push(event)
    }
  })
  await devtools.send('Tracing.start', {
    categories: 'devtools.timeline,disabled-by-default-devtools.timeline',
    transferMode: 'ReportEvents',
  })
  await work()
  const complete = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve))
  await devtools.send('Tracing.end')
  await complete
  await devtools.detach()
  const [task] = events.filter(({ name }) => name === 'RunTask').sort((a, b) => b.tdur - a.tdur)
  if (task === undefined) return 'no task'
  /** @type {Map<string, number>} */
  const parts = new Map()
  for (const { name, ts, dur = 0, tdur = 0, pid } of events) {
    const isInside = pid === task.pid && ts >= task.ts && ts + dur <= task.ts + task.dur
    if (isInside && name !== 'RunTask') parts.set(name, (parts.get(name) ?? 0) + tdur / 1000)
  }
  const largestParts = [...parts].sort((a, b) => b[1] - a[1]).slice(0, 4)
  const words = largestParts.map(([name, spent]) => `${name} ${Math.round(spent)}`)
  return `${Math.round(task.tdur / 1000)} ms (${words.join(', ')})`
}

/** @param {Page} page @param {string} name @param {() => Promise<unknown>} work */
async function measure(page, name, work) {
  await longTasks(page)
  const startedAt = performance.now()
  const cpuTask = await longestCpuTask(page, work)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  // The observer is notified shortly after a task has ended.
  await page.waitForTimeout(200)
  const found = await longTasks(page)
  const longest = found.length === 0 ? '—' : `${Math.round(Math.max(...found))} ms`
  log(
    `${name.padEnd(46)} ${String(found.length).padStart(3)} over 50 ms, longest ${longest.padStart(7)}, CPU time ${cpuTask}, in ${seconds} s`,
  )
}

/** @param {Page} page @returns {Promise<string[]>} */
const idsOf = (page) =>
  page
    .locator('tr[data-row-id]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row-id') ?? ''))

/** @param {Page} page */
const waitForPage = async (page) => {
  await page.locator('tr[data-row-id]').first().waitFor()
  await page.waitForLoadState('networkidle')
}

/** Reports 1,000 runs per second in two batches, for several seconds. @param {string} url */
async function burst(url) {
  const batch = Array.from({ length: 500 }, (_, index) => ({
    provider: 'openai',
    model: 'gpt-4o',
    status: index % 50 === 0 ? 'error' : 'ok',
    latency_ms: 400 + index,
    ref_key: `burst/${index % 7}`,
  }))
  const startedAt = performance.now()
  let sent = 0
  while (performance.now() - startedAt < burstSeconds * 1000) {
    await post(url, '/api/runs', batch)
    sent += batch.length
    const due = (sent / 1000) * 1000 - (performance.now() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due)))
  }
  return sent / ((performance.now() - startedAt) / 1000)
}

/**
 * Goes to older pages by keyboard, because a Playwright click runs code on the measured thread.
 * @param {Page} page @param {number} count
 */
async function older(page, count) {
  await page.getByRole('button', { name: 'Older', exact: true }).focus()
  for (let step = 0; step < count; step += 1) {
    const before = (await idsOf(page))[0]
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      (id) => document.querySelector('tr[data-row-id]')?.getAttribute('data-row-id') !== id,
      before,
    )
  }
}

/** @param {Page} page */
async function measureRuns(page) {
  await page.getByRole('button', { name: 'Older', exact: true }).waitFor()
  await measure(page, 'runs: twenty pages older', () => older(page, 20))
  await measure(page, 'runs: j forty times', async () => {
    for (let step = 0; step < 40; step += 1) await page.keyboard.press('j')
  })
  await measure(page, 'runs: open, and go to the next one twenty times', async () => {
    await page.keyboard.press('Enter')
    await page.getByTestId('drawer').waitFor()
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('ArrowUp')
  })
  await page.keyboard.press('Escape')
  await measure(page, 'runs: select all of a page, and none', async () => {
    const all = page.getByRole('checkbox', { name: 'Select all rows on this page' })
    await all.check()
    await page.getByTestId('bulk').waitFor()
    await all.uncheck()
  })
  await measure(page, 'runs: type into the search', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('support', { delay: 40 })
    await page.waitForFunction(() => location.search.includes('q=support'))
    await waitForPage(page)
  })
}

/** @param {Page} page @param {string} url */
async function live(page, url) {
  await page.goto(`${url}/runs`)
  await waitForPage(page)
  await page.mouse.move(5, 895)
  /** @type {number} */
  let rate = 0
  await measure(page, `runs: ${burstSeconds} s at the top while runs come in`, async () => {
    rate = await burst(url)
  })
  await page.locator('tr[data-row-id]').nth(5).locator('input').check()
  const before = await idsOf(page)
  await measure(page, `runs: ${burstSeconds} s with a row selected meanwhile`, async () => {
    await burst(url)
  })
  const isSame = JSON.stringify(await idsOf(page)) === JSON.stringify(before)
  const waiting = await page.getByRole('button', { name: /new runs?$/ }).innerText()
  log(`  ${Math.round(rate)} runs a second; rows ${isSame ? 'did not move' : 'MOVED'}; "${waiting}" wait`)
}

/** @param {string} url @param {number} count */
async function connect(url, count) {
  /** @type {WebSocket[]} */
  const sockets = []
  for (let at = 0; at < count; at += 50) {
    const some = Array.from({ length: Math.min(50, count - at) }, (_, index) => {
      const query = `client=node-sdk&app=load-${(at + index) % 40}&namespace=prod`
      return new WebSocket(`${url.replace('http', 'ws')}/ws?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      })
    })
    await Promise.all(some.map((socket) => once(socket, 'message')))
    sockets.push(...some)
  }
  return sockets
}

await ensure(['server', 'console'])
const executablePath = findChromium()
if (executablePath === null) throw new Error('No Chromium found: install one or set CHROMIUM_PATH.')
const scratch = await mkdtemp(join(tmpdir(), 'promptdeck-long-tasks-'))
const seed = ['--runs', String(runs), '--days', '1', '--data', scratch]
if (
  spawnSync(process.execPath, [join(root, 'dist/bundle/service/seed.js'), ...seed], { stdio: 'inherit' })
    .status !== 0
)
  throw new Error('seeding failed')
const service = await startService(scratch)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const { token: bearer } = await post(
    service.url,
    '/api/login',
    { username: 'admin', password: 'admin' },
    null,
  )
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  await page.addInitScript(`
    window.longTasks = []
    new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration)))
      .observe({ type: 'longtask', buffered: true })
  `)
  await page.goto(`${service.url}/favicon.svg`)
  await page.evaluate((value) => sessionStorage.setItem('promptdeck.token', value), bearer)
  await page.goto(`${service.url}/runs`)
  await waitForPage(page)
  await measureRuns(page)
  await live(page, service.url)
  const sockets = await connect(service.url, clients)
  await page.goto(`${service.url}/clients`)
  await waitForPage(page)
  await measure(page, `clients: ten pages of ${clients}`, () => older(page, 10))
  await measure(page, `clients: ${clients} leave`, async () => {
    for (const socket of sockets) socket.close()
    await page.waitForTimeout(3000)
  })
  log(
    `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, Chromium ${browser.version()}, ${runs} runs stored before`,
  )
} finally {
  await browser.close()
  await service.stop()
  await rm(scratch, { recursive: true, force: true })
}
