import { FaultServer } from '../fault-server.mjs'
import { AdapterError } from './adapter.mjs'
import { defaultToken } from './clients.mjs'
import { sleep, until, within } from './waiting.mjs'

/** A thousandth of the real times, or more where a busy machine needs more. */
const timings = {
  request_ms: 300,
  stale_ms: 30,
  negative_ms: 30,
  retry_min_ms: 2,
  retry_max_ms: 60,
  kicked_ms: 60,
  poll_ms: 30,
  report_ms: 5,
}
/**
 * A browser delays handshakes for up to 5 s after failed ones, regardless of the client's timings. A shorter
 * timeout would never connect.
 */
const browserTimings = { ...timings, request_ms: 6000 }
const heartbeatS = 0.1
const keys = ['greet', 'billing/refund']
const run = { provider: 'mock', model: 'm', latency_ms: 1, status: 'ok' }
const promptPath = (key) => `/api/sdk/prompts/${encodeURIComponent(key)}`
const contentOf = (key, number) => `${key} says ${number}`
/** Time for a client to have the newest version once there are no more faults. */
const convergeMs = 40_000

/** One client and its service: connections fail repeatedly while prompts are published. */
export class Flapping {
  tally = { faults: 0, publishes: 0, reads: 0, reported: 0 }
  findings = []
  #published = new Map(keys.map((key) => [key, 1]))
  #seen = new Map(keys.map((key) => [key, 1]))
  #isOver = false
  #reading = null

  /** @param {() => number} random seeded generator, from 0 to 1 */
  constructor(adapter, name, random) {
    this.adapter = adapter
    this.name = name
    this.random = random
    const prompts = Object.fromEntries(
      keys.map((key) => [key, { version: 'v1', content: contentOf(key, 1) }]),
    )
    const origins = adapter.origin === null ? [] : [adapter.origin]
    this.server = new FaultServer({ prompts, heartbeat_s: heartbeatS, seq: 1 }, origins)
  }

  #request(op, members = {}) {
    return within(this.adapter.request(op, { client: this.name, ...members }), convergeMs, op)
  }

  async start(cacheDir) {
    await this.server.start()
    const options = {
      server: this.server.url,
      token: defaultToken,
      app_name: 'flap',
      cache_dir: cacheDir,
      env: {},
      timings: this.adapter.origin === null ? timings : browserTimings,
    }
    await this.#request('new', { options })
    for (const key of keys) await this.#request('get_prompt', { key })
    await this.#request('watch', { keys })
    this.#reading = this.#read()
    // `end` reports it; until then it is not an unhandled rejection.
    this.#reading.catch(() => undefined)
  }

  /**
   * Reads prompts in a loop. Every result must have been published, and must not be older than the previous
   * one.
   */
  async #read() {
    while (!this.#isOver) {
      for (const key of keys) {
        try {
          const { version, content } = await this.#request('get_prompt', { key })
          this.tally.reads += 1
          this.#checkRead(key, Number(version.slice(1)), content)
        } catch (error) {
          if (!(error instanceof AdapterError)) throw error
          this.findings.push(`${key} could not be read: ${error.code}: ${error.message}`)
        }
      }
      await this.#request('report_run', { run })
      this.tally.reported += 1
      await sleep(20 + this.random() * 40)
    }
  }

  #checkRead(key, number, content) {
    const wasPublished =
      number >= 1 && number <= this.#published.get(key) && content === contentOf(key, number)
    if (!wasPublished)
      this.findings.push(`${key} was read as ${number} ${JSON.stringify(content)}, which was never published`)
    if (number < this.#seen.get(key))
      this.findings.push(`${key} went back from ${this.#seen.get(key)} to ${number}`)
    this.#seen.set(key, Math.max(number, this.#seen.get(key)))
  }

  async publish() {
    const key = this.#pick(keys)
    const number = this.#published.get(key) + 1
    this.#published.set(key, number)
    this.tally.publishes += 1
    await this.server.apply({ publish: { key, version: `v${number}`, content: contentOf(key, number) } })
  }

  #pick(list) {
    return list[Math.floor(this.random() * list.length)]
  }

  /** Injects one fault, then waits for a random time. */
  async fault(gapMs) {
    await this.#pick(this.#faults)()
    this.tally.faults += 1
    if (this.random() < 0.5) await this.publish()
    await sleep(this.random() * 2 * gapMs)
    if (this.random() < 0.5) await this.heal()
  }

  #connectionFaults = [
    () => this.server.apply({ drop: true }),
    () => this.server.apply({ drop: 'mid-frame' }),
    () => this.server.apply({ freeze: true }),
    () => this.#restart(true),
    () => this.#restart(false),
    () =>
      this.server.apply({ close: { code: this.#pick([1001, 1008, 1009, 1011, 1012, 1013, 4000, 4403]) } }),
    () => this.#newToken(),
  ]

  #otherFaults = [
    () => this.server.apply({ reject_upgrade: this.#pick([400, 429, 502, 503]) }),
    () => this.server.apply({ mute: true }),
    () =>
      this.server.apply({
        raw: this.#pick(['{', '[]', 'null', '{"type":"unknown"}', '{"type":"prompt.published"}']),
      }),
    () => this.server.apply({ frame: { type: 'resync', seq: this.server.prompts.seq } }),
    () => this.#injectReplyFault({ status: this.#pick([429, 500, 502, 503]) }),
    () => this.#injectReplyFault({ delay_ms: Math.round(this.random() * 200) }),
    () => this.#injectReplyFault({ hang: this.#pick([true, 'mid-body']) }),
    () => this.#injectReplyFault({ cut: this.#pick([true, 'mid-body']) }),
    () => this.#injectReplyFault({ body: this.#pick(['{', '', '[]', '{"key":1}', '<html>']) }),
  ]

  /** Connection faults are listed three times, so that about 70 % of the faults affect the connection. */
  #faults = [
    ...this.#connectionFaults,
    ...this.#connectionFaults,
    ...this.#connectionFaults,
    ...this.#otherFaults,
  ]

  #injectReplyFault(fault) {
    const path = this.#pick([...keys.map(promptPath), '/api/runs'])
    // A reply that reports "stored" without storing would lose the run, which no client can prevent.
    const isLie = path === '/api/runs' && fault.body !== undefined
    return this.server.apply({
      respond: {
        path: isLie ? promptPath(keys[0]) : path,
        times: 1 + Math.floor(this.random() * 3),
        ...fault,
      },
    })
  }

  async #restart(isOrderly) {
    if (isOrderly) await this.server.apply({ close: { code: 1001, reason: 'The service is stopping' } })
    await this.server.apply({ down: true })
    await sleep(this.random() * 40)
    await this.server.apply({ up: true })
  }

  /** Revokes the tokens and sets a new one, as after a new sign-in. */
  async #newToken() {
    const token = `secret-token-${this.tally.faults + 2}`
    for (const old of [...this.server.tokens]) await this.server.apply({ revoke: old })
    await this.server.apply({ accept: token })
    await sleep(this.random() * 20)
    await this.#request('set_token', { token })
  }

  async heal() {
    for (const action of [{ respond: null }, { mute: false }, { reject_upgrade: null }])
      await this.server.apply(action)
  }

  /** Ends all faults; records a finding unless the client connects and gets the newest version in time. */
  async requireConverged() {
    await this.heal()
    await this.publish()
    const finding = () => {
      if (this.server.live.open !== 1) return `${this.server.live.open} sockets are open`
      const outdated = keys.find((key) => this.#seen.get(key) !== this.#published.get(key))
      return outdated
        ? `${outdated} is still ${this.#seen.get(outdated)}; ${this.#published.get(outdated)} is published`
        : null
    }
    await until(null, finding, convergeMs).catch(({ message }) => this.findings.push(`Stuck: ${message}`))
  }

  /** Closes the client; every reported run must have arrived exactly once. */
  async end() {
    this.#isOver = true
    await this.#reading
    await this.#request('flush')
    const unsent = await this.#request('close')
    const arrived = this.server.stored.length
    if (unsent !== 0 || arrived !== this.tally.reported)
      this.findings.push(`${arrived} runs of ${this.tally.reported} arrived, ${unsent} were not sent`)
    await until(null, () =>
      this.server.live.open === 0 ? null : 'A closed client is still connected',
    ).catch(({ message }) => this.findings.push(message))
    await this.server.stop()
  }
}
