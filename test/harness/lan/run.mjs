// @ts-check
// `npm run test:lan`: two network namespaces as two machines, with the built service on one, and a real Chromium, the command
// and the SDKs on the other. Needs root, iproute2 and certutil. Ends with one JSON line.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright'
import { findChromium } from '../../../scripts/lib/chromium.mjs'
import { eventually } from './eventually.mjs'
import { createMachines, runOn, startOn } from './machines.mjs'

const at = (/** @type {string} */ path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const command = at('dist/bundle/service/promptdeck.js')
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))
const token = 'lan-harness-service-token-0123456789ab'
const adminPassword = 'a long phrase of the admin'
const lanPort = 4743
/** The addresses of the service, before and after a change. */
const [address, nextAddress] = ['10.77.0.1', '10.77.0.9']
const startedAt = Date.now()
const counts = { passed: 0, failed: 0 }
/** @type {Record<string, number>} */
const figures = {}

const folder = mkdtempSync(join(tmpdir(), 'promptdeck-lan-'))
const [mateHome, dataDir] = [join(folder, 'mate'), join(folder, 'data')]
mkdirSync(mateHome)
const env = { PATH: process.env['PATH'], HOME: mateHome }
const mateEnv = { ...process.env, HOME: process.env['HOME'], PROMPTDECK_CONFIG_DIR: mateHome }
const serverEnv = { ...env, HOME: folder, DATA_DIR: dataDir, SERVICE_TOKEN: token, LOG_LEVEL: 'error' }
const authority = join(mateHome, 'ca.pem')
// Installs and builds the clients while there is a network.
for (const language of ['js', 'python', 'java']) {
  const { start } = await import(`../../../sdk/conformance/adapters/${language}.mjs`)
  await (await start()).stop()
}
const machines = await createMachines(String(process.pid % 100_000))

/** @param {string} name @param {() => Promise<void>} check */
async function check(name, check) {
  try {
    await check()
    counts.passed += 1
    process.stdout.write(`ok      ${name}\n`)
  } catch (error) {
    counts.failed += 1
    process.stdout.write(`FAILED  ${name}: ${error instanceof Error ? error.stack : error}\n`)
  }
}

/** Sends a request from a machine. @param {string} machine @param {string} what @param {object} [options] */
async function send(machine, what, options = {}) {
  const [method = '', url = ''] = what.split(' ')
  const args = [process.execPath, here('./request.mjs'), method, url, JSON.stringify(options)]
  return JSON.parse(await runOn(machine, args, env))
}

/** Calls the API as an admin on the machine of the service. @param {string} what @param {unknown} [body] */
async function admin(what, body) {
  const [method, path] = what.split(' ')
  const reply = await send(machines.server, `${method} http://127.0.0.1:4780${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
  })
  assert.ok(reply.status < 300, `${what}: ${reply.status} ${reply.text ?? reply.error}`)
  return JSON.parse(reply.text)
}

/** Approves the request of a device. @param {string} name */
async function approve(name) {
  const request = await eventually(async () => {
    const { data } = await admin('GET /api/pairing/requests')
    return data.find((/** @type {any} */ each) => each.name === name && each.status === 'pending')
  })
  await admin(`POST /api/pairing/requests/${request.id}/approve`)
}

const lan = (/** @type {string} */ path, host = address) => `https://${host}:${lanPort}${path}`

async function share() {
  const login = await send(machines.server, 'POST http://127.0.0.1:4780/api/login', {
    body: { username: 'admin', password: 'admin' },
  })
  const { token: session } = JSON.parse(login.text)
  const changed = await send(machines.server, 'PUT http://127.0.0.1:4780/api/me/password', {
    headers: { authorization: `Bearer ${session}` },
    body: { current_password: 'admin', new_password: adminPassword },
  })
  assert.equal(changed.status, 200)
  await runOn(machines.server, [process.execPath, command, 'lan', 'on'], serverEnv)
  await eventually(async () => (await admin('GET /api/network')).data.state === 'listening')
}

/** What a stranger on the network gets. */
async function strangers() {
  const plain = await send(machines.mate, `GET http://${address}:${lanPort}/`)
  assert.match(plain.text, /certificate/i)
  const ca = await send(machines.mate, `GET http://${address}:${lanPort}/ca.pem`)
  writeFileSync(authority, ca.text)
  assert.equal(
    (await send(machines.mate, `POST http://${address}:${lanPort}/api/login`, { body: {} })).status,
    405,
  )
  assert.match((await send(machines.mate, `GET ${lan('/health')}`)).error, /certificate/i)
  const health = await send(machines.mate, `GET ${lan('/health')}`, { ca: authority })
  assert.equal(health.status, 200)
  for (const path of ['/api/me', '/api/runs', '/api/prompts', '/metrics', '/openapi.json', '/docs'])
    assert.equal((await send(machines.mate, `GET ${lan(path)}`, { ca: authority })).status, 401, path)
  const login = { ca: authority, body: { username: 'admin', password: adminPassword } }
  assert.equal((await send(machines.mate, `POST ${lan('/api/login')}`, login)).status, 401)
  const foreign = { ca: authority, headers: { host: 'evil.example' }, servername: '' }
  assert.equal((await send(machines.mate, `GET ${lan('/health')}`, foreign)).status, 421)
  const loopback = await send(machines.mate, `GET http://${address}:4780/health`)
  assert.ok(loopback.error, 'the port of this computer is closed to others')
}

/** A teammate scans the code and signs in with a browser that trusts the authority. @param {number} sharedAt */
async function browserPairs(sharedAt) {
  const database = join(mateHome, '.pki/nssdb')
  mkdirSync(database, { recursive: true })
  await runOn(machines.mate, ['certutil', '-d', `sql:${database}`, '-N', '--empty-password'], env)
  const trust = ['-A', '-t', 'C,,', '-n', 'deck', '-i', authority]
  await runOn(machines.mate, ['certutil', '-d', `sql:${database}`, ...trust], env)
  const wrapper = join(folder, 'chromium')
  const program = findChromium() ?? 'chromium'
  writeFileSync(wrapper, `#!/bin/sh\nexec ip netns exec ${machines.mate} "${program}" "$@"\n`, {
    mode: 0o755,
  })
  const browser = await chromium.launch({ executablePath: wrapper, args: ['--no-sandbox'], env })
  try {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    const { data } = await admin('POST /api/pairing', { role: 'editor' })
    await page.goto(data.qr)
    await page.getByLabel('Name of this device').fill('Phone')
    await page.getByLabel('Username').fill('mate')
    await page.getByRole('textbox', { name: 'Password' }).fill('a long phrase of the mate')
    await page.getByRole('button', { name: 'Request access' }).click()
    await approve('Phone')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await eventually(async () =>
      (await admin('GET /api/clients')).data.some((/** @type {any} */ { username }) => username === 'mate'),
    )
    figures['seconds until signed in'] = (Date.now() - sharedAt) / 1000
    assert.ok(Date.now() - sharedAt < 60_000)
  } finally {
    await browser.close()
  }
}

async function sdksConnect() {
  await admin('POST /api/prompts', { key: 'greet', env: 'prod', content: 'Hi {{who}}' })
  const { data } = await admin('POST /api/pairing', { role: 'viewer' })
  const given = ['--code', data.code, '--fingerprint', data.fingerprint, '--name', 'laptop', '--kind', 'sdk']
  await Promise.all([
    runOn(machines.mate, [process.execPath, command, 'pair', `${address}:${lanPort}`, ...given], mateEnv),
    approve('laptop'),
  ])
  const sdks = startOn(machines.mate, [process.execPath, here('./sdks.mjs')], mateEnv)
  let output = ''
  for (const stream of [sdks.stdout, sdks.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  const listed = async () =>
    (await admin('GET /api/clients')).data.filter((/** @type {any} */ { app }) => app.endsWith('-app'))
  try {
    await eventually(
      async () => {
        assert.equal(sdks.exitCode, null, output)
        return output.includes('"connected":true') && (await listed()).length === 3
      },
      40_000,
      () => output,
    )
    const { data: devices } = await admin('GET /api/devices')
    const { id } = devices.find((/** @type {any} */ { name }) => name === 'laptop')
    const revokedAt = Date.now()
    await admin(`DELETE /api/devices/${id}`)
    await eventually(async () => (await listed()).length === 0, 5000)
    figures['ms until the SDKs were gone'] = Date.now() - revokedAt
    assert.ok(Date.now() - revokedAt < 1000, 'revoked within a second, with the time of two requests')
  } finally {
    sdks.stdin.end()
    await once(sdks, 'close')
  }
}

/** An app finds the service only while an admin wants that, and pairs with what it found. */
async function appFinds() {
  const { data } = await admin('GET /api/network')
  const client = pathToFileURL(at('dist/bundle/service/server-client.js')).href
  const app = startOn(machines.mate, [process.execPath, here('./find.mjs'), client], env)
  /** @type {string[]} */
  const lists = ['[]']
  app.stdout.setEncoding('utf8').on('data', (text) => lists.push(...text.trim().split('\n')))
  const found = async () => JSON.parse(lists.at(-1) ?? '[]')
  try {
    await runOn(machines.server, [process.execPath, command, 'lan', 'on', '--discovery', 'on'], serverEnv)
    const [server] = await eventually(async () => ((await found()).length > 0 ? found() : null))
    const id = data.fingerprint.replaceAll(':', '').toLowerCase().slice(0, 16)
    assert.deepEqual(server, { id, name: data.name, address: `${address}:${lanPort}` })
    await runOn(machines.server, [process.execPath, command, 'lan', 'on', '--discovery', 'off'], serverEnv)
    await eventually(async () => (await found()).length === 0)
  } finally {
    app.stdin.end()
    await once(app, 'close')
  }
}

async function addressChanges() {
  await machines.readdress(`${address}/24`, `${nextAddress}/24`)
  const changedAt = Date.now()
  await eventually(async () => {
    const reply = await send(machines.mate, `GET ${lan('/health', nextAddress)}`, { ca: authority })
    return reply.status === 200
  }, 30_000)
  figures['seconds until the new address answered'] = (Date.now() - changedAt) / 1000
}

const service = startOn(machines.server, [process.execPath, at('dist/bundle/service/cli.js')], serverEnv)
let log = ''
for (const stream of [service.stdout, service.stderr])
  stream.setEncoding('utf8').on('data', (text) => (log += text))
try {
  await eventually(async () => {
    assert.equal(service.exitCode, null, log)
    return (await send(machines.server, 'GET http://127.0.0.1:4780/health')).status === 200
  })
  const sharedAt = Date.now()
  await check('promptdeck lan on shares the service', share)
  await check('a stranger gets the page about trust, the pairing routes and /health', strangers)
  await check('a teammate is signed in with a browser', () => browserPairs(sharedAt))
  await check('SDKs connect after two commands, and are gone when revoked', sdksConnect)
  await check('an app finds the service while an admin wants that', appFinds)
  await check('a change of the address needs no restart', addressChanges)
} finally {
  service.kill('SIGTERM')
  await once(service, 'close')
  await machines.remove()
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(
  `${JSON.stringify({ harness: 'lan', ...counts, seconds: Math.round((Date.now() - startedAt) / 1000), figures })}\n`,
)
process.exitCode = counts.failed === 0 ? 0 : 1
