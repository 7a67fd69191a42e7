// @ts-check
// `npm run test:proxies [-- --only nginx]`: the configurations of docs/proxy.md with real proxies in front of the real service:
// console, live connection and SDKs, at the root and below a path. Ends with one JSON line. A missing proxy is a failure.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { findChromium } from '../../../scripts/lib/chromium.mjs'
import { createChecks, freePort } from '../lib/checks.mjs'
import { startService } from '../lib/process.mjs'
import { createCertificate } from './certificate.mjs'
import { call, checkClients, checkConsole, checkRequests } from './checks.mjs'
import { proxies } from './configurations.mjs'

const languages = ['js', 'python', 'java']
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : null
const startedAt = Date.now()
const folder = mkdtempSync(join(tmpdir(), 'promptdeck-proxies-'))
const { counts, check } = createChecks()

/** Starts a proxy and waits until it answers. @param {string} command @param {readonly string[]} args @param {import('./checks.mjs').Target} target */
async function startProxy(command, args, target) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      log += text
    })
  let isEnded = false
  const ended = once(child, 'close')
    .catch((error) => {
      log += error
    })
    .then(() => {
      isEnded = true
    })
  for (const giveUpAt = Date.now() + 20_000; ; ) {
    const reply = await call(target, '/health').catch(() => null)
    if (reply !== null && reply.status !== 502 && reply.status !== 503) break
    if (isEnded || Date.now() > giveUpAt) throw new Error(`${command} does not answer: ${log.slice(-2000)}`)
  }
  return {
    async stop() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
      await ended
      clearTimeout(timer)
    },
  }
}

const files = createCertificate(folder)
const authority = readFileSync(files.certificate, 'utf8')
Object.assign(process.env, files.trust)
const chromiumPath = findChromium()
if (chromiumPath === null) throw new Error('No Chromium found: install one or set CHROMIUM_PATH.')
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
/** @type {Map<string, any>} */
const adapters = new Map()
for (const language of languages) {
  const { start } = await import(`../../../sdk/conformance/adapters/${language}.mjs`)
  adapters.set(language, await start())
}

/** @param {(typeof proxies)[number]} proxy @param {(typeof proxies)[number]['variants'][number]} variant */
async function tryVariant({ command, argumentsOf }, { name, basePath, text }) {
  const own = join(folder, `${command}-${name.replace(' ', '-')}`)
  mkdirSync(own)
  const port = await freePort()
  const url = `https://localhost:${port}${basePath}`
  const dataDir = join(own, 'data')
  const service = await startService({
    env: { DATA_DIR: dataDir, PUBLIC_URL: url, TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'error' },
  })
  if (service.url === null) throw new Error(`The service did not start: ${service.output.stderr}`)
  const target = { url, authority }
  const file = join(own, 'configuration')
  writeFileSync(file, text({ ...files, port, servicePort: Number(new URL(service.url).port), folder: own }))
  const title = `${command}, ${name}`
  let running = null
  try {
    running = await startProxy(command, argumentsOf(file), target)
    await check(`${title}: requests`, () => checkRequests(target))
    await check(`${title}: console`, async () => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      try {
        await checkConsole(target, await context.newPage())
      } finally {
        await context.close()
      }
    })
    await check(`${title}: SDKs`, () => checkClients(target, adapters, title))
  } finally {
    await running?.stop()
    await service.stop()
  }
}

try {
  for (const proxy of proxies.filter(({ command }) => only === null || command === only))
    for (const variant of proxy.variants)
      await tryVariant(proxy, variant).catch((error) =>
        check(`${proxy.command}, ${variant.name}`, () => Promise.reject(error)),
      )
} finally {
  for (const adapter of adapters.values()) await adapter.stop()
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(
  `${JSON.stringify({ harness: 'proxies', ...counts, seconds: Math.round((Date.now() - startedAt) / 1000) })}\n`,
)
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1
