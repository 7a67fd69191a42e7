import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FaultServer } from '../fault-server.mjs'
import { AdapterError } from './adapter.mjs'
import { defaultToken } from './clients.mjs'
import { seeded } from './seeded.mjs'
import { sleep, until, within } from './waiting.mjs'

/** Nothing becomes stale and no polling occurs, so only the live connection can correct the result of a race. */
const timings = {
  request_ms: 5000,
  stale_ms: 600_000,
  negative_ms: 600_000,
  retry_min_ms: 2,
  retry_max_ms: 20,
  kicked_ms: 20,
  poll_ms: 600_000,
  report_ms: 20,
}
const keys = ['greet', 'billing/refund', 'a.b']
const listPath = '/api/sdk/prompts'
const promptPath = (key) => `${listPath}/${encodeURIComponent(key)}`
const maxSteps = 12
/** Time for a client to be up to date once all replies are sent. */
const convergeMs = 8000
const closeMs = 10_000
const clientCount = 8

/**
 * Runs a total of `rounds` rounds on several clients of one adapter. The same seed gives the same steps, but
 * their interleaving may differ.
 * @returns {Promise<{ clients: number, rounds: number, steps: number, changes: number, findings: string[] }>}
 */
export async function race(adapter, rounds, seed) {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-races-'))
  const clients = Array.from(
    { length: clientCount },
    (_, index) => new Racing(adapter, `race-${index}`, seeded(seed * 1000 + index)),
  )
  const run = async (client) => {
    await client.start(join(folder, client.name))
    for (let done = 0; done < rounds / clientCount; done += 1) await client.round()
    await client.end()
  }
  const results = await Promise.allSettled(clients.map(run))
  for (const { server } of clients) await server.stop()
  rmSync(folder, { recursive: true, force: true })
  const sum = (name) => clients.reduce((total, { tally }) => total + tally[name], 0)
  return {
    clients: clientCount,
    rounds: sum('rounds'),
    steps: sum('steps'),
    changes: sum('changes'),
    findings: [
      ...results.flatMap(({ reason }) => (reason === undefined ? [] : [reason.message])),
      ...clients.flatMap(({ name, findings }) => findings.map((text) => `${name} ${text}`)),
    ],
  }
}

/**
 * One client and its service. Prompts are created, changed and deleted during requests; replies are delayed,
 * fail and arrive out of order; connections end. After each round the client must serve, and have announced,
 * the served version.
 */
class Racing {
  tally = { rounds: 0, steps: 0, changes: 0 }
  findings = []
  #versions = 0
  #log = []
  #pending = []
  /** Versions that the client announced per key, by update and by reply, oldest first; null for deleted. */
  #updates = new Map(keys.map((key) => [key, []]))
  #replies = new Map(keys.map((key) => [key, []]))
  /** Keys of which the app got a version: each later change must be announced. */
  #known = new Set()

  /** @param {() => number} random seeded generator, from 0 to 1 */
  constructor(adapter, name, random) {
    this.adapter = adapter
    this.name = name
    this.random = random
    const origins = adapter.origin === null ? [] : [adapter.origin]
    this.server = new FaultServer({ seq: 1 }, origins)
    this.listener = ({ event, client, data }) => {
      if (client === name && event === 'update') this.#record(this.#updates, data.key, data.version)
    }
    adapter.on('event', this.listener)
  }

  #request(op, members = {}) {
    return within(this.adapter.request(op, { client: this.name, ...members }), closeMs, op)
  }

  async start(cacheDir) {
    await this.server.start()
    const options = {
      server: this.server.url,
      token: defaultToken,
      app_name: 'races',
      cache_dir: cacheDir,
      env: {},
      timings,
    }
    await this.#request('new', { options })
    await this.#request('watch')
  }

  #record(list, key, version) {
    list.get(key).push(version)
    if (version !== null) this.#known.add(key)
    this.#log.push(`  ${list === this.#updates ? 'update' : 'reply'} ${key} ${version}`)
  }

  /**
   * Returns true if the client announced `version`. A version occurs only once, so its position does not
   * matter: a reply may arrive after a newer update. Deletions repeat, so only the last entry counts.
   */
  #isAnnounced(key, version) {
    const lists = [this.#updates.get(key), this.#replies.get(key)]
    return lists.some((list) => (version === null ? list.at(-1) === null : list.includes(version)))
  }

  #pick(list) {
    return list[Math.floor(this.random() * list.length)]
  }

  #served(key) {
    return this.server.prompts.get({ key, env: 'prod', workspace: 'default' })?.version ?? null
  }

  /** The possible steps. Frequent steps are listed several times. Each step is logged for diagnosis. */
  #steps = [
    ...Array(4).fill(() => this.#publish(this.#pick(keys))),
    ...Array(2).fill(() => this.#delete(this.#pick(keys))),
    ...Array(3).fill(() => this.#get(this.#pick(keys))),
    ...Array(2).fill(() => this.#prefetch()),
    () => this.#prefetch([this.#pick(keys)]),
    ...Array(3).fill(() => this.#rule({ hold: true })),
    () => this.#rule({ delay_ms: Math.round(this.random() * 6) }),
    () => this.#rule({ status: 503 }),
    ...Array(3).fill(() => this.#do({ release: true })),
    () => this.#do({ drop: true }),
    () => this.#do({ drop: 'mid-frame' }),
    () => this.#do({ close: { code: 1012 } }),
    () => this.#do({ frame: { type: 'resync', seq: this.server.prompts.seq } }),
  ]

  async #do(action) {
    this.#log.push(JSON.stringify(action))
    await this.server.apply(action)
  }

  async #publish(key) {
    this.#versions += 1
    this.tally.changes += 1
    const version = `v${this.#versions}`
    await this.#do({ publish: { key, version, content: `${key} ${version}` } })
  }

  async #delete(key) {
    if (this.#served(key) === null) return
    this.tally.changes += 1
    await this.#do({ delete: { key } })
  }

  #rule(fault) {
    const path = this.#pick([listPath, '/ws', ...keys.map(promptPath)])
    return this.#do({ respond: { path, times: 1, ...fault } })
  }

  /** Adds a request that the round awaits. An error before then is not an unhandled rejection. */
  #await(result) {
    result.catch(() => undefined)
    this.#pending.push(result)
  }

  #get(key) {
    this.#log.push(`get ${key}`)
    const result = this.#request('get_prompt', { key }).then(
      ({ version }) => this.#record(this.#replies, key, version),
      (error) => {
        if (!(error instanceof AdapterError)) throw error
        if (error.code === 'NotFound') this.#record(this.#replies, key, null)
      },
    )
    this.#await(result)
  }

  #prefetch(someKeys) {
    this.#log.push(`prefetch ${someKeys ?? 'all'}`)
    const request = this.#request('prefetch', someKeys ? { keys: someKeys } : {})
    this.#await(request.catch((error) => error instanceof AdapterError || Promise.reject(error)))
  }

  async round() {
    this.#log = []
    const count = 3 + Math.floor(this.random() * maxSteps)
    for (let step = 0; step < count; step += 1) {
      await this.#pick(this.#steps)()
      this.tally.steps += 1
      if (this.random() < 0.6) await sleep(Math.round(this.random() * 4))
    }
    this.#log.push('all replies are released')
    await this.server.apply({ respond: null })
    await this.server.apply({ release: true })
    await Promise.all(this.#pending.splice(0))
    await this.#requireConverged()
    this.tally.rounds += 1
  }

  async #requireConverged() {
    for (const key of keys) {
      const expected = this.#served(key)
      const finding = () => {
        if (this.server.live.open !== 1) return `${this.server.live.open} sockets are open`
        if (this.#isAnnounced(key, expected) || !this.#known.has(key)) return null
        const latest = (list) => list.get(key).slice(-4).map(String).join(', ')
        return `${key} is ${expected}, but the app received the updates ${latest(this.#updates)} and the replies ${latest(this.#replies)}`
      }
      await until(null, finding, convergeMs).catch((error) => this.#addFinding(error.message))
      const served = await this.#eventually(key, expected)
      if (served !== expected) this.#addFinding(`${key} is ${expected}, but the client serves ${served}`)
    }
  }

  /** Returns what the client serves, once it equals `expected` or the time is over. */
  async #eventually(key, expected) {
    const giveUpAt = performance.now() + convergeMs
    for (;;) {
      const served = await this.#request('get_prompt', { key }).then(
        ({ version }) => version,
        ({ code }) => (code === 'NotFound' ? null : code),
      )
      if (served === expected || performance.now() > giveUpAt) return served
      await sleep(5)
    }
  }

  #addFinding(what) {
    this.findings.push(`round ${this.tally.rounds + 1}: ${what}\n    ${this.#log.join('\n    ')}`)
  }

  async end() {
    await this.#request('close')
    this.adapter.off('event', this.listener)
    await this.server.stop()
  }
}
