// @ts-check
// `npm run test:lan`: two network namespaces as two machines, with the built service on one, and a real Chromium, the command
// and the SDKs on the other. Needs root, iproute2, certutil and testssl.sh. Ends with one JSON line.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { createChecks } from '../lib/checks.mjs'
import { adminPassword, at, eventually, here, lanPort, startFixture } from './fixture.mjs'
import { runOn, startOn } from './machines.mjs'
import { weakFindings } from './scan.mjs'

/** The addresses of the service, before and after a change. */
const [address, nextAddress] = ['10.77.0.1', '10.77.0.9']
const startedAt = Date.now()
const { counts, check } = createChecks()
/** @type {Record<string, number>} */
const figures = {}

// Installs and builds the clients while there is a network.
for (const language of ['js', 'python', 'java']) {
  const { start } = await import(`../../../sdk/conformance/adapters/${language}.mjs`)
  await (await start()).stop()
}
const fixture = await startFixture(address)
const { machines, authority, command, mateEnv, admin, approve, lan, lanCommand, send } = fixture

/** An unauthenticated caller on the network gets the trust page, the pairing routes and /health, nothing else. */
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
  await fixture.trustAuthority()
  const browser = await fixture.openBrowser(machines.mate)
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
      120_000,
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

/** An app finds the service only while an admin wants that. */
async function appFinds() {
  const { data } = await admin('GET /api/network')
  const client = pathToFileURL(at('dist/bundle/service/server-client.js')).href
  const app = fixture.startOnMate([here('./find.mjs'), client])
  /** @type {string[]} */
  const lists = ['[]']
  app.stdout.setEncoding('utf8').on('data', (text) => lists.push(...text.trim().split('\n')))
  const found = async () => JSON.parse(lists.at(-1) ?? '[]')
  try {
    await lanCommand('on', '--discovery', 'on')
    const [server] = await eventually(async () => ((await found()).length > 0 ? found() : null))
    const id = data.fingerprint.replaceAll(':', '').toLowerCase().slice(0, 16)
    assert.deepEqual(server, { id, name: data.name, address: `${address}:${lanPort}` })
    await lanCommand('on', '--discovery', 'off')
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

try {
  const sharedAt = Date.now()
  await check('promptdeck lan on shares the service', fixture.share)
  await check('an unauthenticated caller gets the trust page, the pairing routes and /health', strangers)
  await check('a teammate is signed in with a browser', () => browserPairs(sharedAt))
  await check('TLS has no weak protocol or cipher, and no known fault', async () =>
    assert.deepEqual(await weakFindings(machines.mate, `${address}:${lanPort}`, mateEnv), []),
  )
  await check('SDKs connect after two commands, and are gone when revoked', sdksConnect)
  await check('an app finds the service while an admin wants that', appFinds)
  await check('a change of the address needs no restart', addressChanges)
} finally {
  await fixture.stop()
}
process.stdout.write(
  `${JSON.stringify({ harness: 'lan', ...counts, seconds: Math.round((Date.now() - startedAt) / 1000), figures })}\n`,
)
process.exitCode = counts.failed === 0 ? 0 : 1
