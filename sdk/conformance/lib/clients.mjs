import { EventEmitter } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AdapterError } from './adapter.mjs'
import { within } from './waiting.mjs'

/**
 * Timings of clients under test. Backoffs are short; nothing becomes stale and no polling occurs unless a
 * case sets it.
 */
const defaultTimings = {
  request_ms: 5000,
  stale_ms: 30_000,
  negative_ms: 30_000,
  retry_min_ms: 20,
  retry_max_ms: 200,
  kicked_ms: 500,
  poll_ms: 30_000,
  report_ms: 20,
}
const homeConfig = 'home/.config/promptdeck'
export const defaultToken = 'secret-token-1'

/** The clients of one case in the adapter, and their events. Emits `change` for each new event. */
export class Clients extends EventEmitter {
  #events = []
  #names = new Map()
  #isExited = false
  /** All events and errors as text, searched for tokens. */
  texts = []
  tokens = new Set()

  constructor(adapter, prefix, { server, folder, certificates = null }) {
    super()
    this.setMaxListeners(0)
    this.adapter = adapter
    this.prefix = prefix
    this.folder = folder
    this.server = server
    this.certificates = certificates
    this.listener = (message) => this.#onEvent(message)
    adapter.on('event', this.listener)
  }

  #onEvent(message) {
    const match = [...this.#names].find(([, id]) => id === message.client)
    if (!match) return
    this.texts.push(JSON.stringify(message))
    this.#events.push({ client: match[0], name: message.event, data: message.data })
    this.emit('change')
  }

  /** Creates a client. A null option is omitted; a missing one gets the harness's default. */
  async make(name, caseOptions) {
    const defaults = {
      server: this.server,
      token: defaultToken,
      app_name: 'app',
      cache_dir: join(this.folder, 'cache'),
      env: {},
    }
    const all = { ...defaults, ...caseOptions, timings: { ...defaultTimings, ...caseOptions.timings } }
    if (caseOptions.cache_dir) all.cache_dir = join(this.folder, caseOptions.cache_dir)
    const options = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
    const placeholders = this.#placeholders()
    options.env = mapValues(options.env, (value) => replaced(value, placeholders))
    for (const name of ['server', 'ca'])
      if (typeof options[name] === 'string') options[name] = replaced(options[name], placeholders)
    for (const token of [options.token, options.env.PROMPTDECK_TOKEN])
      if (typeof token === 'string' && token !== '') this.tokens.add(token.trim())
    this.#names.set(name, `${this.prefix}/${name}`)
    try {
      return await this.request(name, 'new', { options })
    } catch (error) {
      this.#names.delete(name)
      throw error
    }
  }

  /** Writes the file of stored servers; a text is written unchanged. */
  store(stored) {
    const folder = join(this.folder, homeConfig)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const text = typeof stored === 'string' ? stored : JSON.stringify(this.#withServers(stored))
    writeFileSync(join(folder, 'servers.json'), text, { mode: 0o600 })
  }

  #withServers({ servers, ...rest }) {
    const placeholders = this.#placeholders()
    for (const { token } of servers) this.tokens.add(token)
    return {
      ...rest,
      servers: servers.map((server) => mapValues(server, (value) => replaced(value, placeholders))),
    }
  }

  /** Returns the values of placeholders: a case knows neither addresses nor certificates. */
  #placeholders() {
    const config = join(this.folder, homeConfig)
    const local = this.server.replace('127.0.0.1', 'localhost')
    const home = join(this.folder, 'home')
    const common = { $server: this.server, $localhost: local, $config: config, $home: home }
    if (this.certificates === null) return common
    const { ca, otherCa } = this.certificates
    const file = join(this.folder, 'ca.pem')
    writeFileSync(file, ca)
    return { ...common, $ca_file: file, $ca: ca, $other_ca: otherCa }
  }

  /** Sends a request to the adapter. Error replies are also searched for tokens. */
  async request(name, op, members) {
    if (typeof members.token === 'string') this.tokens.add(members.token)
    try {
      return await this.adapter.request(op, { client: `${this.prefix}/${name}`, ...members })
    } catch (error) {
      if (error instanceof AdapterError) this.texts.push(`${error.code}: ${error.message}`)
      throw error
    }
  }

  /** Returns the events of a name that no step has consumed. */
  waiting(client, name) {
    return this.#events.filter((event) => event.client === client && event.name === name)
  }

  take(event) {
    this.#events.splice(this.#events.indexOf(event), 1)
  }

  get clientCount() {
    return this.#names.size
  }

  /** Ends the process of the adapter without closing its clients. Returns its exit code. */
  exit() {
    this.#isExited = true
    return this.adapter.end()
  }

  async closeAll(ms) {
    if (this.#isExited) return
    for (const name of this.#names.keys()) {
      const closed = this.request(name, 'close', {}).catch((error) => {
        if (error.code !== 'Closed') throw error
      })
      await within(closed, ms, `Closing ${name}`)
    }
  }

  detach() {
    this.adapter.off('event', this.listener)
  }
}

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))

/** Replaces placeholders in a text; `$ca_file` is listed before `$ca`, which is its beginning. */
const replaced = (text, placeholders) =>
  Object.entries(placeholders).reduce((result, [name, value]) => result.replace(name, () => value), text)
