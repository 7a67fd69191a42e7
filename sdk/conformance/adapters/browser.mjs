import { createReadStream, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { chromium } from 'playwright'
import { findChromium } from '../../../scripts/lib/chromium.mjs'
import { Adapter } from '../lib/adapter.mjs'
import { buildJs, root } from './build-js.mjs'
import { Missing } from './tool.mjs'

const types = { '.mjs': 'text/javascript', '.js': 'text/javascript', '.map': 'application/json' }

/** Starts the browser build of the JavaScript client in a page whose origin differs from the service's. */
export async function start() {
  const executablePath = findChromium()
  if (executablePath === null) throw new Missing('Chromium was not found; set CHROMIUM_PATH')
  await buildJs()
  const server = createServer(serve)
  await new Promise((resolve) => server.listen({ port: 0, host: '127.0.0.1' }, resolve))
  const origin = `http://127.0.0.1:${server.address().port}`
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-background-timer-throttling'],
  })
  const page = await browser.newPage()
  const adapter = new Adapter({
    origin,
    send: batched((lines) =>
      page.evaluate((all) => globalThis.receive(all), lines).catch((error) => adapter.ended(error.message)),
    ),
    async stop() {
      await browser.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
  const receiveLines = (lines) => {
    for (const line of lines) adapter.receive(line)
  }
  const ready = new Promise((resolve, reject) => {
    page.on('pageerror', (error) => {
      adapter.log += `${error.stack}\n`
      reject(error)
    })
    const end = (reason) => {
      adapter.ended(reason)
      reject(new Error(reason))
    }
    page.on('crash', () => end('The page crashed'))
    page.on('close', () => end('The page closed'))
    page
      .exposeFunction('ready', resolve)
      .then(() => page.exposeFunction('writeLines', receiveLines))
      .then(() => page.goto(origin))
      .catch(reject)
  })
  page.on('console', (message) => {
    if (!isLoggedByBrowser(message.text())) adapter.log += `${message.text()}\n`
  })
  try {
    await ready
    return adapter
  } catch (error) {
    await adapter.stop()
    throw error
  }
}

/** Returns true for a line that the browser, not the client, logs about a failed request. */
const isLoggedByBrowser = (text) =>
  /^(Failed to load resource|WebSocket connection to|Access to fetch)/.test(text)

/** Batches lines that are written in the same tick, because each call into the page is slow. */
function batched(send) {
  let waiting = []
  return (line) => {
    waiting.push(line)
    if (waiting.length > 1) return
    setImmediate(() => {
      const lines = waiting
      waiting = []
      send(lines)
    })
  }
}

/** Returns the page. A module that cannot be loaded causes only an event at its script, which becomes an error here. */
const page = (entry) => `<!doctype html><title>adapter</title><script type="module"
  onerror="throw new Error('The client could not be loaded')">
import * as sdk from '${entry}'
import { createOps } from '/sdk/js/conformance/ops.mjs'
let written = []
const write = (message) => {
  written.push(JSON.stringify(message))
  if (written.length > 1) return
  setTimeout(() => {
    globalThis.writeLines(written)
    written = []
  })
}
const work = createOps(sdk, { emit: write, language: 'browser', features: [] })
const handle = (request) =>
  work(request).then(
    (ok) => write({ id: request.id, ok: ok ?? null }),
    ({ code, message }) => write({ id: request.id, error: { code: code ?? 'Unknown', message } }),
  )
globalThis.receive = (lines) => {
  for (const line of lines) handle(JSON.parse(line))
}
globalThis.ready()
</script>`

/** Serves the page and the files below `sdk/js`. */
function serve(req, res) {
  const path = normalize(decodeURIComponent(req.url.split('?', 1)[0]))
  if (path === '/') {
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(browserEntry()))
    return
  }
  const type = types[extname(path)]
  if (!path.startsWith('/sdk/js/') || type === undefined) {
    res.writeHead(404).end()
    return
  }
  res.setHeader('content-type', type)
  createReadStream(join(root, path))
    .on('error', () => res.writeHead(404).end())
    .pipe(res)
}

function browserEntry() {
  const { exports: exported } = JSON.parse(readFileSync(join(root, 'sdk/js/package.json'), 'utf8'))
  const entry = exported['.'].browser
  return `/${join('sdk/js', typeof entry === 'string' ? entry : entry.default)}`
}
