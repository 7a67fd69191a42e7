import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { root } from '../../scripts/lib/root.mjs'
import { makeChats } from './chats.mjs'
import { makeRecords } from './observe.mjs'
import { makePrompts } from './prompts.mjs'
import { post, send, startService, token } from './service.mjs'
import { makeWorkflows } from './workflows.mjs'

const phrase = 'a phrase for pictures'

/** Connects apps that are displayed on the page Clients. @param {string} url */
async function connectApps(url) {
  const apps = [
    'client=node-sdk&app=checkout&namespace=prod',
    'client=node-sdk&app=checkout&namespace=prod',
    'client=python-sdk&app=support-bot&namespace=prod',
    'client=java-sdk&app=billing&namespace=test',
    'client=node-sdk&app=storefront&namespace=dev',
  ]
  const sockets = apps.map(
    (query) =>
      new WebSocket(`${url.replace('http', 'ws')}/ws?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      }),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'message')))
  const hellos = [
    { sdk_version: '0.1.0', keys: ['greet', 'support/answer'] },
    { sdk_version: '0.1.0', keys: ['greet'] },
    { sdk_version: '0.0.9', keys: ['support/answer', 'support/retired'] },
    { sdk_version: '0.1.0', keys: [] },
  ]
  for (const [index, hello] of hellos.entries()) {
    sockets[index]?.send(JSON.stringify({ type: 'hello', ...hello }))
  }
  return () => {
    for (const socket of sockets) socket.close()
  }
}

/** Creates alerts in each state. @param {string} url */
async function makeAlerts(url) {
  const day = { period_minutes: 1440 }
  // Nothing listens there, so that the delivery log has a failed attempt.
  const webhook = { url: 'http://127.0.0.1:9/hook', secret: 'a-secret-for-pictures', local: true }
  const bodies = [
    { ...day, name: 'Errors of all apps', kind: 'error_rate', threshold: 0.1, desktop: true },
    { ...day, name: 'Slow replies', kind: 'latency', threshold: 100, webhook },
    { ...day, name: 'Cost per day', kind: 'cost', threshold: 10_000 },
    {
      name: 'Billing without runs',
      kind: 'no_runs',
      threshold: 1,
      period_minutes: 60,
      filters: { ref_key: ['billing/invoice'] },
    },
    { name: 'Outdated apps', kind: 'client_behind', threshold: 1, period_minutes: 30 },
    { name: 'Provider down', kind: 'provider_down', threshold: 3, period_minutes: 5, enabled: false },
  ]
  for (const body of bodies) await post(url, '/api/alerts', body)
}

/** Spans of a trace: an agent that calls a model, a tool, and the model again. @param {string} traceId */
function traceMessage(traceId) {
  const at = Date.now() - 60_000
  const span = (
    /** @type {string[]} */ [id = '', parent = '', name = ''],
    start = 0,
    ms = 0,
    attributes = {},
  ) => ({
    traceId,
    spanId: id.repeat(16),
    ...(parent !== '' && { parentSpanId: parent.repeat(16) }),
    name,
    startTimeUnixNano: `${at + start}000000`,
    endTimeUnixNano: `${at + start + ms}000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  })
  const call = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.usage.input_tokens': '812',
    'gen_ai.usage.output_tokens': '64',
  }
  const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'order-agent' }
  const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'find_order' }
  const spans = [
    span(['1', '', 'invoke_agent'], 0, 4200, agent),
    span(['2', '1', 'chat'], 40, 1500, call),
    span(['3', '1', 'execute_tool'], 1600, 700, tool),
    span(['4', '1', 'chat'], 2400, 1750, call),
  ]
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] }
}

/** Makes calls, budgets and virtual models of the gateway, and a trace. @param {string} url */
async function makeGateway(url) {
  const budget = { requests_per_minute: 60, tokens_per_day: 1_000_000, usd_per_day: 5, mode: 'refuse' }
  const targets = [
    { provider: 'openai', model: 'gpt-4o-mini' },
    { provider: 'openai', model: 'gpt-4o' },
  ]
  const settings = { budget, virtual_models: [{ name: 'fast', timeout_ms: 20_000, targets }] }
  await send('PATCH', url, '/api/settings', settings)
  await post(url, '/api/tokens', { name: 'gateway-app', gateway: true, budget, cache_seconds: 300 })
  const call = { source: 'gateway', provider: 'openai', model: 'gpt-4o', latency_ms: 820, total_tokens: 876 }
  const calls = Array.from({ length: 40 }, (_, n) => ({ ...call, status: n % 20 === 0 ? 'error' : 'ok' }))
  await post(url, '/api/runs', calls)
  await post(url, '/v1/traces', traceMessage('ab'.repeat(16)))
}

/** @param {string} folder */
function seed(folder) {
  const tool = join(root, 'dist/bundle/service/seed.js')
  const args = [tool, '--runs', '20000', '--days', '14', '--data', folder]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error('seeding failed')
}

/** @param {string} url @param {string} username @param {string} password */
const signIn = async (url, username, password) =>
  (await post(url, '/api/login', { username, password }, null)).token

/** Returns a session token for each role. @param {string} url */
async function signInAll(url) {
  const initial = await signIn(url, 'admin', 'admin')
  // The banner about the built-in password is not part of an ordinary page.
  const passwords = { current_password: 'admin', new_password: phrase }
  // The reply has a new session; the old one ends within a minute.
  const { token: admin } = await send('PUT', url, '/api/me/password', passwords, initial)
  await post(url, '/api/users', { username: 'vera-viewer', password: phrase, role: 'viewer' })
  await post(url, '/api/users', { username: 'emil-editor', password: phrase, role: 'editor' })
  return {
    admin,
    viewer: await signIn(url, 'vera-viewer', phrase),
    editor: await signIn(url, 'emil-editor', phrase),
    edda: await signIn(url, 'edda', 'a sample for trying out'),
  }
}

/** @typedef {Awaited<ReturnType<typeof startFixture>>} Fixture */

/** Starts a service with seeded data and live apps, and an empty one. */
export async function startFixture() {
  const scratch = await mkdtemp(join(tmpdir(), 'promptdeck-screens-'))
  const full = join(scratch, 'full')
  seed(full)
  const [busy, fresh] = [await startService(full), await startService(join(scratch, 'fresh'))]
  const disconnect = await connectApps(busy.url)
  const prompts = await makePrompts(busy.url)
  const chats = await makeChats(busy.url)
  const workflows = await makeWorkflows(busy.url)
  await makeAlerts(busy.url)
  await makeGateway(busy.url)
  const records = await makeRecords(busy.url)
  return {
    busy: { url: busy.url, ...(await signInAll(busy.url)) },
    fresh: { url: fresh.url, admin: await signIn(fresh.url, 'admin', 'admin') },
    prompts,
    chats,
    workflows,
    records,
    async stop() {
      disconnect()
      prompts.disconnect()
      await busy.stop()
      await fresh.stop()
      await rm(scratch, { recursive: true, force: true })
    },
  }
}
