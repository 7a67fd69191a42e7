// @ts-check
import { setTimeout as delay } from 'node:timers/promises'
import { token } from '../lib/process.mjs'
import { pick } from '../lib/random.mjs'

const perSecond = 50
/** Maximum number of open requests: during a restart, more would keep connections open long after it. */
const maxOpen = 64

/** Attempts per request, 100 ms apart: far longer than a restart takes. */
const maxAttempts = 600

/**
 * Repeats a request until the service replies, so that each takes effect exactly once.
 * @param {string} url @param {string} what @param {any} [body]
 * @param {Record<string, string>} [headers]
 */
export async function requestUntilAnswered(url, what, body, headers = {}) {
  let lastFailure = ''
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const reply = await request(url, what, body, headers)
    if (typeof reply !== 'string' && reply.status !== 503 && reply.status !== 429) {
      const isJson = /^application\/(problem\+)?json/.test(reply.type)
      return { status: reply.status, body: isJson ? JSON.parse(reply.text) : reply.text }
    }
    lastFailure = typeof reply === 'string' ? reply : `${reply.status} ${reply.text}`
    await delay(100)
  }
  throw new Error(`${what} was not answered: ${lastFailure}`)
}

/**
 * Returns the reply, or the reason why there is none.
 * @param {string} url @param {string} what @param {any} body @param {Record<string, string>} headers
 */
async function request(url, what, body, headers) {
  const [method = 'GET', path = ''] = what.split(' ')
  try {
    const reply = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(30_000),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, type: reply.headers.get('content-type') ?? '', text: await reply.text() }
  } catch (error) {
    return String(error)
  }
}

/** @typedef {ReturnType<typeof createAcknowledged>} Acknowledged */
/** Data and events that the service acknowledged. */
const createAcknowledged = () => ({
  requests: 0,
  /** Numbers of the reported runs, sent as their `latency_ms`. @type {number[]} */
  runs: [],
  /** Completed calls of the Playground, and calls whose reply a restart cut off. */
  calls: 0,
  cutOff: 0,
  /** Number of changed drafts. */
  edits: 0,
  /** Messages of the publishes. @type {string[]} */
  publishes: [],
  /** @type {string[]} */
  versions: [],
  /** @type {string[]} */
  faults: [],
})

/** @typedef {{ url: string, random: () => number, prompts: readonly { id: string, key: string }[], acknowledged: Acknowledged, next: () => number, isRestarting: boolean }} Fixture */

/**
 * @param {Fixture} fixture @param {string} what @param {any} [body]
 * @param {readonly number[]} [expectedStatuses] @param {Record<string, string>} [headers]
 */
async function ask({ url, acknowledged }, what, body, expectedStatuses = [200], headers = {}) {
  const reply = await requestUntilAnswered(url, what, body, headers)
  acknowledged.requests += 1
  if (!expectedStatuses.includes(reply.status))
    acknowledged.faults.push(`${what}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 200)}`)
  return reply
}

/** @param {Fixture} fixture */
async function report(fixture) {
  const number = fixture.next()
  const body = {
    provider: 'mock',
    model: 'soak',
    latency_ms: number,
    status: 'ok',
    client_run_id: `soak-${number}`,
    ref_key: pick(fixture.random, fixture.prompts).key,
  }
  await ask(fixture, 'POST /api/runs', body, [201])
  fixture.acknowledged.runs.push(number)
}

/** @param {Fixture} fixture */
async function call(fixture) {
  const body = { content: 'Hi {{a}}', variables: { a: 'b' }, provider: 'mock' }
  // Only while restarting: the service caches replies to keyed calls, up to 16 MB or an hour, so the cache
  // would grow all the time.
  /** @type {Record<string, string>} */
  const headers = fixture.isRestarting ? { 'idempotency-key': `call-${fixture.next()}` } : {}
  // A restart cuts calls off: 502 if the service stops during the call, 409 for a repetition. Either may
  // leave a run.
  const expectedStatuses = fixture.isRestarting ? [200, 409, 502] : [200]
  const reply = await ask(fixture, 'POST /api/playground/run', body, expectedStatuses, headers)
  if (reply.status === 200) fixture.acknowledged.calls += 1
  else fixture.acknowledged.cutOff += 1
}

/**
 * Repeats a request that a restart cut off, with a new key.
 * @param {Fixture} fixture @param {string} what @param {any} body
 */
async function once(fixture, what, body) {
  for (;;) {
    const headers = { 'idempotency-key': `once-${fixture.next()}` }
    const reply = await ask(fixture, what, body, [200, 409], headers)
    if (reply.body.code !== 'idempotency.mismatch') return reply
  }
}

/** @param {Fixture} fixture */
async function publish(fixture) {
  const { random, prompts, acknowledged } = fixture
  const { id, key } = pick(random, prompts)
  const message = `publish-${fixture.next()}`
  // The same draft again changes nothing, so a repetition adds no entry.
  const edited = await once(fixture, `PATCH /api/prompts/${id}`, { content: `Hello {{name}}, ${message}` })
  acknowledged.edits += 1
  const published = await once(fixture, `POST /api/prompts/${id}/publish`, { message })
  acknowledged.publishes.push(message)
  if (edited.status === 200 && published.status === 200)
    acknowledged.versions.push(`${key} ${published.body.data.version}`)
  else if (published.body.code === 'prompt.nothing_to_publish') {
    // The interrupted attempt had already published it.
    const { body } = await ask(fixture, `GET /api/prompts/${id}/versions?limit=1`)
    acknowledged.versions.push(`${key} ${body.data[0].version}`)
  } else acknowledged.faults.push(`publish: ${edited.status} ${JSON.stringify(published.body).slice(0, 200)}`)
}

/** @param {Fixture} fixture @returns {readonly (() => Promise<unknown>)[]} */
const stepsOf = (fixture) => [
  ...Array.from(
    { length: 6 },
    () => () => ask(fixture, `GET /api/sdk/prompts/${pick(fixture.random, fixture.prompts).key}?env=prod`),
  ),
  () => report(fixture),
  () => report(fixture),
  () => ask(fixture, 'GET /api/runs?limit=20'),
  () => ask(fixture, 'GET /api/prompts?limit=20'),
  () => ask(fixture, 'GET /api/audit?limit=20'),
  () => ask(fixture, 'GET /api/runs/stats'),
  () => ask(fixture, 'GET /api/me'),
  () => call(fixture),
]

/**
 * Sends fifty requests per second of all common kinds, and a publish every second.
 * @param {string} url @param {() => number} random
 * @param {readonly { id: string, key: string }[]} prompts
 */
export function createLoad(url, random, prompts) {
  const acknowledged = createAcknowledged()
  let number = 0
  const next = () => {
    number += 1
    return number
  }
  const fixture = { url, random, prompts, acknowledged, next, isRestarting: true }
  const steps = stepsOf(fixture)
  /** @type {Set<Promise<unknown>>} */
  const open = new Set()
  /** @param {Promise<unknown>} work */
  const track = (work) => {
    const tracked = work
      .catch((error) => acknowledged.faults.push(String(error)))
      .finally(() => open.delete(tracked))
    open.add(tracked)
  }
  /** @type {NodeJS.Timeout[]} */
  const timers = []
  let publishing = Promise.resolve()
  let startedAt = 0
  let started = 0
  /** Starts the requests that are due. Delayed ones start later, so that the average rate is constant. */
  const startDue = () => {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond)
    for (; started < due && open.size < maxOpen; started += 1) track(pick(random, steps)())
  }
  return {
    acknowledged,
    /** Number of requests started at the fixed rate. */
    started: () => started,
    start() {
      startedAt = performance.now()
      timers.push(setInterval(startDue, 20))
      // One at a time: two drafts of one prompt would be published as one version.
      timers.push(
        setInterval(() => {
          publishing = publishing
            .then(() => publish(fixture))
            .catch((error) => void acknowledged.faults.push(String(error)))
        }, 1_000),
      )
    },
    /** Sends `count` more requests, 16 at a time. @param {number} count */
    async burst(count) {
      let remaining = count
      const worker = async () => {
        for (; remaining > 0; remaining -= 1) await pick(random, steps)()
      }
      await Promise.all(Array.from({ length: 16 }, worker))
    },
    /** The service is not restarted from now on: no call is repeated, so none needs a key. */
    endRestarts() {
      fixture.isRestarting = false
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await publishing
      await Promise.all(open)
    },
  }
}
