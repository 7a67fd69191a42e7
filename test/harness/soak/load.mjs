// @ts-check
import { setTimeout as delay } from 'node:timers/promises'
import { token } from '../lib/process.mjs'
import { pick } from '../lib/random.mjs'

const perSecond = 50
/** More wait while the service restarts: each would keep a connection open long after. */
const mostOpen = 64

/** Attempts of one request, 100 ms apart: far longer than a restart takes. */
const mostAttempts = 600

/** Repeats until the service answered, so that each happens exactly once. @param {string} url @param {string} what @param {any} [body] @param {Record<string, string>} [headers] */
export async function surely(url, what, body, headers = {}) {
  let refusal = ''
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const reply = await request(url, what, body, headers)
    if (typeof reply !== 'string' && reply.status !== 503 && reply.status !== 429) {
      const isJson = /^application\/(problem\+)?json/.test(reply.type)
      return { status: reply.status, body: isJson ? JSON.parse(reply.text) : reply.text }
    }
    refusal = typeof reply === 'string' ? reply : `${reply.status} ${reply.text}`
    await delay(100)
  }
  throw new Error(`${what} was not answered: ${refusal}`)
}

/** Returns the reply, or why there is none. @param {string} url @param {string} what @param {any} body @param {Record<string, string>} headers */
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

/** @typedef {ReturnType<typeof createTold>} Told */
/** What the service acknowledged. */
const createTold = () => ({
  requests: 0,
  /** Numbers of the runs reported; each is the `latency_ms` of its run. @type {number[]} */
  runs: [],
  /** Calls of the Playground answered with their run, and those of which a restart took the answer. */
  calls: 0,
  cutOff: 0,
  /** Drafts changed. */
  edits: 0,
  /** Messages of the publishes. @type {string[]} */
  publishes: [],
  /** @type {string[]} */
  versions: [],
  /** @type {string[]} */
  faults: [],
})

/** @typedef {{ url: string, random: () => number, prompts: readonly { id: string, key: string }[], told: Told, next: () => number, isRestarting: boolean }} World */

/** @param {World} world @param {string} what @param {any} [body] @param {readonly number[]} [right] @param {Record<string, string>} [headers] */
async function ask({ url, told }, what, body, right = [200], headers = {}) {
  const reply = await surely(url, what, body, headers)
  told.requests += 1
  if (!right.includes(reply.status))
    told.faults.push(`${what}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 200)}`)
  return reply
}

/** @param {World} world */
async function report(world) {
  const number = world.next()
  const body = {
    provider: 'mock',
    model: 'soak',
    latency_ms: number,
    status: 'ok',
    client_run_id: `soak-${number}`,
    ref_key: pick(world.random, world.prompts).key,
  }
  await ask(world, 'POST /api/runs', body, [201])
  world.told.runs.push(number)
}

/** @param {World} world */
async function call(world) {
  const body = { content: 'Hi {{a}}', variables: { a: 'b' }, provider: 'mock' }
  // The service keeps replies to keyed calls in memory, up to 16 MB or an hour: a cache that would fill all the while.
  /** @type {Record<string, string>} */
  const headers = world.isRestarting ? { 'idempotency-key': `call-${world.next()}` } : {}
  // A restart cuts calls off: 502 where the service is stopped under way, 409 for a repeat. Either may have left a run.
  const right = world.isRestarting ? [200, 409, 502] : [200]
  const reply = await ask(world, 'POST /api/playground/run', body, right, headers)
  if (reply.status === 200) world.told.calls += 1
  else world.told.cutOff += 1
}

/** Repeats a request that a restart cut off with a new key. @param {World} world @param {string} what @param {any} body */
async function once(world, what, body) {
  for (;;) {
    const headers = { 'idempotency-key': `once-${world.next()}` }
    const reply = await ask(world, what, body, [200, 409], headers)
    if (reply.body.code !== 'idempotency.mismatch') return reply
  }
}

/** @param {World} world */
async function publish(world) {
  const { random, prompts, told } = world
  const { id, key } = pick(random, prompts)
  const message = `publish-${world.next()}`
  // The same draft again changes nothing, so a repeat leaves no second entry.
  const edited = await once(world, `PATCH /api/prompts/${id}`, { content: `Hello {{name}}, ${message}` })
  told.edits += 1
  const published = await once(world, `POST /api/prompts/${id}/publish`, { message })
  told.publishes.push(message)
  if (edited.status === 200 && published.status === 200)
    told.versions.push(`${key} ${published.body.data.version}`)
  else if (published.body.code === 'prompt.nothing_to_publish') {
    // The attempt that was cut off had published it.
    const { body } = await ask(world, `GET /api/prompts/${id}/versions?limit=1`)
    told.versions.push(`${key} ${body.data[0].version}`)
  } else told.faults.push(`publish: ${edited.status} ${JSON.stringify(published.body).slice(0, 200)}`)
}

/** @param {World} world @returns {readonly (() => Promise<unknown>)[]} */
const stepsOf = (world) => [
  ...Array.from(
    { length: 6 },
    () => () => ask(world, `GET /api/sdk/prompts/${pick(world.random, world.prompts).key}?env=prod`),
  ),
  () => report(world),
  () => report(world),
  () => ask(world, 'GET /api/runs?limit=20'),
  () => ask(world, 'GET /api/prompts?limit=20'),
  () => ask(world, 'GET /api/audit?limit=20'),
  () => ask(world, 'GET /api/runs/stats'),
  () => ask(world, 'GET /api/me'),
  () => call(world),
]

/** Fifty requests a second of every common kind, and a publish each second. @param {string} url @param {() => number} random @param {readonly { id: string, key: string }[]} prompts */
export function createLoad(url, random, prompts) {
  const told = createTold()
  let number = 0
  const next = () => {
    number += 1
    return number
  }
  const world = { url, random, prompts, told, next, isRestarting: true }
  const steps = stepsOf(world)
  /** @type {Set<Promise<unknown>>} */
  const open = new Set()
  /** @param {Promise<unknown>} work */
  const keep = (work) => {
    const tracked = work.catch((error) => told.faults.push(String(error))).finally(() => open.delete(tracked))
    open.add(tracked)
  }
  /** @type {NodeJS.Timeout[]} */
  const timers = []
  let publishing = Promise.resolve()
  let startedAt = 0
  let started = 0
  /** Requests that could not start while others waited start later: the rate is held on average. */
  const startDue = () => {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond)
    for (; started < due && open.size < mostOpen; started += 1) keep(pick(random, steps)())
  }
  return {
    told,
    /** Requests started at the fixed rate. */
    started: () => started,
    start() {
      startedAt = performance.now()
      timers.push(setInterval(startDue, 20))
      // One at a time: two drafts of one prompt would publish as one.
      timers.push(
        setInterval(() => {
          publishing = publishing
            .then(() => publish(world))
            .catch((error) => void told.faults.push(String(error)))
        }, 1_000),
      )
    },
    /** Sends `count` more requests, 16 at a time. @param {number} count */
    async burst(count) {
      let left = count
      const worker = async () => {
        for (; left > 0; left -= 1) await pick(random, steps)()
      }
      await Promise.all(Array.from({ length: 16 }, worker))
    },
    /** From now on the service is not restarted: no call is repeated, so none needs a key. */
    settle() {
      world.isRestarting = false
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await publishing
      await Promise.all(open)
    },
  }
}
