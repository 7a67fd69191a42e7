// @ts-check
import http from 'node:http'
import { request, token } from '../lib/process.mjs'
import { foreignHosts, foreignOrigins, internalNames, spellingsOf } from './spellings.mjs'

/** @param {string} url @param {string} path @param {Record<string, string>} headers @param {string} [method] @returns {Promise<{ status: number, headers: http.IncomingHttpHeaders }>} The status is 101 after an upgrade, 0 without a reply. */
const send = (url, path, headers, method = 'GET') =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const options = { hostname, port, path, headers, method, insecureHTTPParser: true }
    const call = http.request(options, (reply) => {
      reply.resume().on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers }))
    })
    call.on('upgrade', (reply, socket) => {
      socket.destroy()
      resolve({ status: 101, headers: reply.headers })
    })
    call.on('error', () => resolve({ status: 0, headers: {} }))
    call.end()
  })
/** Returns a header as bytes: Node sends one byte per character. @param {string} text */
const bytesOf = (text) => Buffer.from(text).toString('latin1')

/**
 * Sends variants of foreign Hosts and disallowed Origins.
 * @param {import('./fixture.mjs').Fixture} fixture
 */
export async function hostsAndOrigins(fixture) {
  const authorization = `Bearer ${token}`
  const hosts = foreignHosts(new URL(fixture.url).port)
  const paths = ['/api/me', '/', '/ws', '/openapi.json', '/metrics']
  fixture.requireInputs('hosts', hosts.length * paths.length)
  for (const host of hosts)
    for (const path of paths) {
      fixture.count('hosts')
      const reply = await send(fixture.url, path, { host: bytesOf(host), authorization })
      fixture.expect([400, 421].includes(reply.status), 'host', `${host} on ${path}`, reply.status)
    }
  fixture.requireInputs('origins', foreignOrigins.length * 3)
  for (const origin of foreignOrigins)
    for (const [path = '', method] of [
      ['/api/me', 'GET'],
      ['/api/prompts', 'OPTIONS'],
      ['/ws', 'GET'],
    ]) {
      fixture.count('origins')
      const upgrade = {
        upgrade: 'websocket',
        connection: 'Upgrade',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      }
      const headers = {
        origin: bytesOf(origin),
        authorization,
        'access-control-request-method': 'POST',
        ...(path === '/ws' && upgrade),
      }
      const reply = await send(fixture.url, path, headers, method)
      const allowed = reply.headers['access-control-allow-origin']
      fixture.expect(allowed === undefined, 'origin', `${origin} on ${path}`, `allowed as ${allowed}`)
      fixture.expect(reply.status === 403, 'origin', `${origin} on ${path}`, reply.status)
    }
}

/**
 * Saves a provider address and calls the provider. Returns the hosts that were connected to.
 * @param {import('./fixture.mjs').Fixture} fixture @param {string} base_url
 */
async function callProvider(fixture, base_url) {
  const saved = await request(fixture.url, 'PUT /api/providers/openai', {
    base_url,
    api_key: 'sk-harness-123456',
    enabled: true,
  })
  fixture.count(saved.status === 200 ? 'provider addresses that may be saved' : 'provider addresses refused')
  fixture.expect([200, 422].includes(saved.status), 'provider address', base_url, saved.status)
  const before = fixture.outgoing().length
  if (saved.status === 200)
    await request(fixture.url, 'POST /api/playground/run', {
      content: 'Hi',
      provider: 'openai',
      model: 'm',
      params: { timeout_ms: 2000 },
    })
  const reached = fixture.outgoing().slice(before)
  for (const { host, reach } of reached)
    fixture.expect(reach === 'public', 'provider address', base_url, `a connection to ${host}`)
  return reached.map(({ host }) => host)
}

const redirectTo = (/** @type {number} */ status, /** @type {string} */ location) =>
  `https://a.redirect/${status}/${Buffer.from(location.replace(/[\r\n]/g, '')).toString('base64url')}`

/**
 * Uses internal addresses in all notations. The substituted connections show which host was reached.
 * @param {import('./fixture.mjs').Fixture} fixture @param {{ isShort: boolean }} options
 */
export async function providerAddresses(fixture, { isShort }) {
  const schemes = isShort ? ['https'] : ['https', 'http', 'HTTPS', 'ftp', 'file', 'gopher']
  const targets = isShort ? ['127.0.0.1'] : ['127.0.0.1', '169.254.169.254', '10.0.0.1']
  const internal = [...targets.flatMap(spellingsOf), ...internalNames]
  // The harness would prove nothing if no connection were made at all.
  const control = await callProvider(fixture, 'https://public.example/v1')
  fixture.expect(control.includes('93.184.216.34'), 'provider address', 'a public one', `reached ${control}`)

  fixture.requireInputs('provider addresses', internal.length * schemes.length)
  for (const host of internal)
    for (const scheme of schemes) {
      fixture.count('provider addresses')
      await callProvider(fixture, `${scheme}://${host}/v1`)
    }

  const followed = await callProvider(fixture, redirectTo(303, 'https://public.example/elsewhere'))
  fixture.expect(followed.includes('93.184.216.34'), 'redirect', 'to a public address', `reached ${followed}`)
  const statuses = isShort ? [303] : [301, 302, 303, 307, 308]
  fixture.requireInputs('provider redirects', internal.length * statuses.length)
  for (const host of internal)
    for (const status of statuses) {
      fixture.count('provider redirects')
      await callProvider(fixture, redirectTo(status, `https://${host}/v1`))
    }

  // Names that resolve to a public address when saved and to a local one when used (rebind), to a local one
  // only after that look-up (late-rebind), or to both (mixed).
  for (const kind of ['rebind', 'late-rebind', 'mixed'])
    for (let at = 0; at < 20; at += 1) {
      fixture.count(`names that ${kind}`)
      const reached = await callProvider(fixture, `https://n${at}.${kind}/v1`)
      const isExpected = kind === 'late-rebind' ? reached.includes('93.184.216.34') : reached.length === 0
      fixture.expect(isExpected, 'rebinding', `n${at}.${kind}`, `reached ${reached}`)
    }
  await request(fixture.url, 'DELETE /api/providers/openai')
}
