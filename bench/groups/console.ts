import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright'
import { loadPage, type PageLoad, slowdown, startBrowser } from '../frame/browser.ts'
import { digits, median, ownClock, ratios } from '../frame/figure.ts'
import { alternating, type Bench, type Group, roundsOf } from '../frame/group.ts'
import { post, send } from '../frame/load.ts'
import type { Process } from '../frame/processes.ts'
import { fill, promptKey } from './fill.ts'
import { measureLighthouse } from './lighthouse.ts'

const built = join(import.meta.dirname, '../../renderer')
/** The icon of the console, without any script. */
const bare = { name: 'a picture', path: '/favicon.svg', readySelector: 'svg' }
/** A heading, which every page of the console has when it is usable. */
const heading = 'main h1'

type MeasuredPage = { readonly name: string; readonly path: string; readonly readySelector: string }

/** Script, times and long tasks of the pages of the console, each loaded with an empty cache and a slow processor. */
export const consolePages: Group = {
  name: 'console',
  async measure(bench) {
    addFirstLoad(bench)
    const browser = await startBrowser()
    if (browser === null) {
      bench.note('No Chromium found: install one or set CHROMIUM_PATH. The pages are not measured.')
      return
    }
    try {
      const service = await bench.processes.service()
      await measurePages(bench, browser, service, await createPages(service, bench.isQuick))
    } finally {
      await browser.close()
    }
    await measureLighthouse(bench)
  },
}

/** Stores the contents of the pages and returns their addresses. */
async function createPages(service: Process, isQuick: boolean): Promise<MeasuredPage[]> {
  await fill(service, 0)
  const agent = await post(service, '/api/agents', {
    key: 'support/draft',
    content: 'Answer: {{question}}',
    provider: 'mock',
  })
  const { text } = await send(service, { path: `/api/prompts?limit=1&q=${encodeURIComponent(promptKey)}` })
  const prompts: { readonly data: readonly { readonly id: string }[] } = JSON.parse(text)
  const [prompt] = prompts.data
  const pages = [
    { name: 'Overview', path: '/' },
    { name: 'Runs', path: '/runs' },
    { name: 'Playground', path: `/playground?prompt=${prompt?.id}` },
    { name: 'a prompt', path: `/prompts/${prompt?.id}` },
    { name: 'an agent', path: `/agents/${agent.id}` },
    { name: 'Statistics', path: '/statistics' },
    { name: 'Settings', path: '/settings' },
  ]
  return pages.slice(0, isQuick ? 3 : pages.length).map((page) => ({ ...page, readySelector: heading }))
}

async function measurePages(
  bench: Bench,
  browser: Browser,
  service: Process,
  pages: readonly MeasuredPage[],
): Promise<void> {
  const measured = [bare, ...pages]
  const loads = new Map<MeasuredPage, PageLoad[]>(measured.map((page) => [page, []]))
  for (const round of roundsOf(bench))
    for (const page of alternating(round, measured))
      loads.get(page)?.push(await loadPage(browser, service.url + page.path, page.readySelector))
  for (const page of pages) addFigures(bench, page, loads.get(page) ?? [], loads.get(bare) ?? [])
}

const kilobytes = (bytes: number): number => bytes / 1000
const gzipBytes = (file: string): number => gzipSync(readFileSync(join(built, file)), { level: 9 }).length
const gzipOf = (files: readonly string[]): number =>
  kilobytes(files.reduce((sum, file) => sum + gzipBytes(file), 0))

/** Adds the size of the scripts that index.html loads before any page. */
function addFirstLoad(bench: Bench): void {
  const html = readFileSync(join(built, 'index.html'), 'utf8')
  const files = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, name = '']) => name)
  bench.add({
    name: 'script of every page, gzip',
    against: 'built files',
    unit: 'kB',
    better: 'lower',
    values: [gzipOf(files)],
    goal: 240,
    detail: `${files.length} files`,
  })
}

function addFigures(
  bench: Bench,
  { name }: MeasuredPage,
  loads: readonly PageLoad[],
  bareLoads: readonly PageLoad[],
): void {
  const slow = `processor ${slowdown} times slower`
  const paints = loads.map(({ firstPaint }) => firstPaint)
  bench.add({
    name: `script of ${name}, gzip`,
    against: 'built files',
    unit: 'kB',
    better: 'lower',
    values: loads.map(({ scripts }) => gzipOf(scripts)),
    detail: `${loads[0]?.scripts.length} files, ${digits(kilobytes(median(loads.map(({ scriptBytes }) => scriptBytes))))} kB on the network`,
  })
  bench.add({
    name: `first contentful paint of ${name}`,
    against: `a picture alone, ${slow}`,
    unit: '×',
    better: 'lower',
    values: ratios(
      bareLoads.map(({ firstPaint }) => firstPaint),
      paints,
    ),
    detail: `${digits(median(paints))} ms`,
  })
  const own = { against: `${ownClock}, ${slow}`, unit: 'ms', better: 'lower' } as const
  bench.add({
    ...own,
    name: `time to interactive of ${name}`,
    values: loads.map(({ interactive }) => interactive),
  })
  bench.add({
    ...own,
    name: `longest task over 50 ms of ${name}`,
    values: loads.map(({ longestTask }) => longestTask),
    goal: 50,
  })
}
