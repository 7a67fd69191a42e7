// @ts-check
import assert from 'node:assert/strict'
import { request } from 'node:https'
import { token } from '../lib/process.mjs'

/** The address of the test. It differs from that of the proxy, which is trusted. */
const client = '127.0.0.2'

/** @typedef {{ url: string, authority: string }} Target */
/** @typedef {import('playwright').Page} Page */

/**
 * Sends a request through the proxy, verified with its certificate only.
 * @param {Target} target @param {string} path @param {{ method?: string, headers?: Record<string, string>, body?: unknown }} [options]
 * @returns {Promise<{ status: number, headers: import('node:http').IncomingHttpHeaders, text: string }>}
 */
export function call({ url, authority }, path, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers }
    const req = request(
      url + path,
      { method, headers: all, ca: authority, agent: false, localAddress: client },
      (res) => {
        let text = ''
        res.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, text }))
      },
    )
    req.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Checks addresses, headers and bodies of plain requests. @param {Target} target */
export async function checkRequests(target) {
  const health = await call(target, '/health')
  assert.equal(health.status, 200)
  assert.equal(health.headers['strict-transport-security'], 'max-age=31536000')
  assert.equal(JSON.parse(health.text).defaults, undefined, 'a proxied request is not one of this machine')
  const { origin } = new URL(target.url)
  const body = { username: 'nobody', password: 'wrong password' }
  const own = await call(target, '/api/login', { method: 'POST', headers: { origin }, body })
  assert.equal(own.status, 401)
  const foreign = { origin: 'https://evil.example' }
  assert.equal((await call(target, '/api/login', { method: 'POST', headers: foreign, body })).status, 403)
  const forged = { 'x-forwarded-for': '203.0.113.9' }
  await call(target, '/api/login', { method: 'POST', headers: forged, body })
  const audit = JSON.parse((await call(target, '/api/audit?action=login_failed')).text)
  assert.ok(audit.data.length > 0)
  for (const { ip } of audit.data) assert.equal(ip, client, 'neither the proxy nor an invented address')
  const large = { key: 'large', env: 'prod', content: 'x'.repeat(200_000) }
  assert.equal((await call(target, '/api/prompts', { method: 'POST', body: large })).status, 201)
}

/** Signs in, follows a link, reloads below it, and waits for the live connection. @param {Target} target @param {Page} page */
export async function checkConsole({ url }, page) {
  /** @type {string[]} */
  const failures = []
  page.on('pageerror', (error) => failures.push(String(error)))
  page.on('response', (reply) => {
    if (reply.status() >= 400) failures.push(`${reply.status()} ${reply.url()}`)
  })
  const path = new URL(url).pathname.replace(/\/$/, '')
  await page.goto(`${url}/audit?action=login_failed`)
  await page.getByRole('textbox', { name: 'Username' }).fill('admin')
  await page.getByRole('textbox', { name: 'Password' }).fill('admin')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Audit' }).waitFor()
  assert.equal(new URL(page.url()).pathname, `${path}/audit`, 'sign-in returns to the page')
  await page.getByRole('link', { name: 'Runs' }).first().click()
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  assert.equal(new URL(page.url()).pathname, `${path}/runs`)
  await page.reload()
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  await page.getByText('Live', { exact: true }).first().waitFor()
  assert.deepEqual(failures, [])
}

/**
 * Fetches a prompt with each client and waits for its next version over the live connection.
 * @param {Target} target @param {ReadonlyMap<string, any>} adapters @param {string} name
 */
export async function checkClients(target, adapters, name) {
  const key = `greet/${name}`
  const created = await call(target, '/api/prompts', {
    method: 'POST',
    body: { key, env: 'prod', content: 'Hi {{who}}' },
  })
  const { id } = JSON.parse(created.text).data
  const all = (/** @type {(adapter: any, language: string) => Promise<unknown>} */ work) =>
    Promise.all([...adapters].map(([language, adapter]) => work(adapter, language)))
  const updates = [...adapters.values()].map(
    (adapter) =>
      new Promise((resolve) =>
        adapter.on(
          'event',
          (/** @type {{ event: string, client: string, data: any }} */ { event, client, data }) => {
            if (event === 'update' && client === name && data.version === 'v2') resolve(data.key)
          },
        ),
      ),
  )
  await all((adapter, language) =>
    adapter.request('new', {
      client: name,
      options: { server: target.url, token, app_name: `${language}-app`, cache_dir: null },
    }),
  )
  const render = (/** @type {string} */ text) =>
    all(async (adapter) =>
      assert.equal(await adapter.request('render', { client: name, key, variables: { who: 'you' } }), text),
    )
  await render('Hi you')
  await all((adapter) => adapter.request('watch', { client: name }))
  await clientsConnected(target, adapters.size)
  const change = { content: 'Hello {{who}}', version: 'next' }
  assert.equal((await call(target, `/api/prompts/${id}`, { method: 'PUT', body: change })).status, 200)
  assert.deepEqual(
    await Promise.all(updates),
    updates.map(() => key),
  )
  await render('Hello you')
  const run = { provider: 'mock', model: 'm', latency_ms: 1, status: 'ok', ref_key: key }
  await all((adapter) => adapter.request('report_run', { client: name, run }))
  await all((adapter) => adapter.request('close', { client: name }))
  const runs = JSON.parse((await call(target, `/api/runs?ref_key=${encodeURIComponent(key)}`)).text)
  assert.equal(runs.total, adapters.size)
}

/** Waits until each client is listed: their connections are made in the background. @param {Target} target @param {number} count */
async function clientsConnected(target, count) {
  for (const giveUpAt = Date.now() + 20_000; ; ) {
    const { data } = JSON.parse((await call(target, '/api/clients')).text)
    const sdks = data.filter(
      (/** @type {{ client_type: string }} */ { client_type }) => client_type !== 'browser',
    )
    if (sdks.length === count) return
    assert.ok(Date.now() < giveUpAt, `${sdks.length} of ${count} clients are connected`)
  }
}
