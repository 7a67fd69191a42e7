import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { AdapterError } from './adapter.mjs'
import { within } from './waiting.mjs'

/** Waits that a case wants to end are short; nothing goes stale and nothing is polled unless the case says so. */
export const defaultTimings = {
  request_ms: 5000,
  stale_ms: 30_000,
  negative_ms: 30_000,
  retry_min_ms: 20,
  retry_max_ms: 200,
  kicked_ms: 500,
  poll_ms: 30_000,
  report_ms: 20,
}
export const defaultToken = 'secret-token-1'

/** The clients of one case in the adapter, and what they said. Emits `change` when one said more. */
export class Clients extends EventEmitter {
  #events = []
  #names = new Map()
  /** All that was said, to look for tokens in. */
  said = []
  tokens = new Set()

  constructor(adapter, prefix, { server, folder }) {
    super()
    this.setMaxListeners(0)
    this.adapter = adapter
    this.prefix = prefix
    this.folder = folder
    this.server = server
    this.listener = (message) => this.#heard(message)
    adapter.on('event', this.listener)
    adapter.on('gone', this.listener)
  }

  #heard(message) {
    const own = message && [...this.#names].find(([, id]) => id === message.client)
    if (!own) return
    this.said.push(JSON.stringify(message))
    this.#events.push({ client: own[0], name: message.event, data: message.data })
    this.emit('change')
  }

  /** A null option is left out; any other that is not given has the harness's value. */
  async make(name, given) {
    const defaults = {
      server: this.server,
      token: defaultToken,
      app_name: 'app',
      cache_dir: join(this.folder, 'cache'),
      env: {},
    }
    const all = { ...defaults, ...given, timings: { ...defaultTimings, ...given.timings } }
    if (typeof given.cache_dir === 'string') all.cache_dir = join(this.folder, given.cache_dir)
    const options = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
    const address = options.env.PROMPTDECK_SERVER
    if (address !== undefined) options.env = { ...options.env, PROMPTDECK_SERVER: this.#here(address) }
    if (typeof options.server === 'string') options.server = this.#here(options.server)
    for (const token of [options.token, options.env.PROMPTDECK_TOKEN])
      if (typeof token === 'string' && token !== '') this.tokens.add(token)
    this.#names.set(name, `${this.prefix}/${name}`)
    try {
      return await this.ask(name, 'new', { options })
    } catch (error) {
      this.#names.delete(name)
      throw error
    }
  }

  /** A case does not know the address; `$server` stands for it. */
  #here(address) {
    return address.replace('$server', this.server)
  }

  /** Asks the adapter; what is answered with an error is looked through for tokens, too. */
  async ask(name, op, members) {
    if (typeof members.token === 'string') this.tokens.add(members.token)
    try {
      return await this.adapter.request(op, { client: `${this.prefix}/${name}`, ...members })
    } catch (error) {
      if (error instanceof AdapterError) this.said.push(`${error.code}: ${error.message}`)
      throw error
    }
  }

  /** Events of a name that were not taken yet. */
  waiting(client, name) {
    return this.#events.filter((event) => event.client === client && event.name === name)
  }

  take(event) {
    this.#events.splice(this.#events.indexOf(event), 1)
  }

  get made() {
    return this.#names.size
  }

  async closeAll(ms) {
    for (const name of this.#names.keys()) {
      const closed = this.ask(name, 'close', {}).catch((error) => {
        if (error.code !== 'Closed') throw error
      })
      await within(closed, ms, `Closing ${name}`)
    }
  }

  forget() {
    this.adapter.off('event', this.listener)
    this.adapter.off('gone', this.listener)
  }
}
