import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { corsHeaders, createRoutes, encoded, readBytes } from './lib/service/http.mjs'
import { Live } from './lib/service/live.mjs'
import { Problem, problemOfStatus, problemReply } from './lib/service/problem.mjs'
import { Prompts } from './lib/service/prompts.mjs'
import { Rules } from './lib/service/rules.mjs'
import { sleep } from './lib/waiting.mjs'

/**
 * Serves prompts, accepts runs and announces changes on loopback like the service. Records requests and
 * frames, and injects faults on request. Emits `change` whenever a record grows.
 */
export class FaultServer extends EventEmitter {
  requests = []
  frames = []
  #runs = new Map()
  #runsWithoutId = []
  #rules = new Rules()
  #sockets = new Set()
  #port = 0
  #server = null

  constructor(
    {
      prompts = {},
      tokens = ['secret-token-1'],
      seq = 0,
      heartbeat_s = 25,
      replay_depth = 1000,
      page_limit = 1000,
    } = {},
    origins = [],
    tls = null,
  ) {
    super()
    this.setMaxListeners(0)
    this.origins = new Set(origins)
    /** Certificate and key as PEM; null for plain HTTP. */
    this.tls = tls
    this.prompts = new Prompts(prompts, seq, replay_depth)
    this.tokens = new Set(tokens)
    this.pageLimit = page_limit
    this.heartbeatS = heartbeat_s
    /** Extra members of the next hello frames; null: no hello is sent. */
    this.hello = {}
    this.isMute = false
    this.route = createRoutes(this)
    this.live = new Live(this, (frame) => this.#record(this.frames, frame))
  }

  get url() {
    return `${this.tls === null ? 'http' : 'https'}://127.0.0.1:${this.#port}`
  }

  get stored() {
    return [...this.#runs.values(), ...this.#runsWithoutId]
  }

  /** Stores a run and returns its number; a repeated one keeps its first number. */
  store(run) {
    const known = this.#runs.get(run.client_run_id)
    if (known !== undefined) return known.id
    const stored = { id: this.stored.length + 1, ...run }
    if (typeof run.client_run_id === 'string') this.#runs.set(run.client_run_id, stored)
    else this.#runsWithoutId.push(stored)
    this.changed()
    return stored.id
  }

  changed() {
    this.emit('change')
  }

  #record(list, entry) {
    list.push(entry)
    this.changed()
  }

  /** Listens on its previous port, or on any at first. The kernel may take a moment to release a port. */
  async start() {
    const giveUpAt = Date.now() + 5000
    while (this.#server === null) {
      const answer = (req, res) => this.#answer(req, res).catch(() => res.destroy())
      const server = this.tls === null ? createServer(answer) : createTlsServer(this.tls, answer)
      server.keepAliveTimeout = 60_000
      server.on('connection', (socket) => {
        this.#sockets.add(socket)
        socket.on('close', () => this.#sockets.delete(socket))
      })
      server.on('upgrade', (req, socket, head) => this.#upgrade(req, socket, head))
      const error = await new Promise((resolve) => {
        server.once('error', resolve)
        server.listen({ port: this.#port, host: '127.0.0.1' }, () => resolve(null))
      })
      if (error === null) {
        this.#server = server
        this.#port = server.address().port
      } else if (Date.now() > giveUpAt) throw error
      else await sleep(20)
    }
  }

  /** Closes all connections and refuses new ones; served prompts and records remain. */
  async stop() {
    const server = this.#server
    this.#server = null
    if (server === null) return
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async #answer(req, res) {
    const { origin } = req.headers
    const cors = this.origins.has(origin) ? corsHeaders(origin) : {}
    if (req.method === 'OPTIONS' && this.origins.has(origin)) {
      res.writeHead(204, cors).end()
      return
    }
    const [path, search = ''] = req.url.split('?', 2)
    const query = Object.fromEntries(new URLSearchParams(search))
    const { bytes, isTooLarge } = await readBytes(req)
    const entry = {
      method: req.method,
      path,
      url: req.url,
      query,
      headers: req.headers,
      body: parse(bytes),
      isTooLarge,
    }
    this.#record(this.requests, entry)
    const rule = this.#rules.of(entry)
    // The reply is fixed now, even if a rule delays it.
    const reply = this.#reply(entry, rule)
    if (!(await this.#rules.pass(rule))) return
    if (rule?.cut === true) {
      res.destroy()
      return
    }
    const { headers, bytes: out } =
      reply.body === null ? { headers: {}, bytes: null } : encoded(req, reply.body)
    const length = out === null ? {} : { 'content-length': out.length }
    res.writeHead(reply.status, {
      vary: 'Accept-Encoding, Origin',
      'x-request-id': `req_${randomUUID()}`,
      ...cors,
      ...headers,
      ...length,
      ...reply.headers,
    })
    if (rule?.cut === 'mid-body') res.write(out.subarray(0, Math.floor(out.length / 2)), () => res.destroy())
    else if (rule?.hang === 'mid-body') res.write(out.subarray(0, Math.floor(out.length / 2)))
    else res.end(out)
  }

  #reply(entry, rule) {
    try {
      if (entry.headers.origin !== undefined && !this.origins.has(entry.headers.origin))
        throw new Problem(
          'auth.forbidden',
          'Pages of this origin cannot call this service. Set ALLOWED_ORIGINS to allow it.',
        )
      if (rule?.status === undefined && rule?.body === undefined) return this.route(entry)
      const { status = 200, body, headers = {} } = rule
      if (status >= 400 && body === undefined) {
        const reply = problemReply(problemOfStatus(status), entry.path)
        return { ...reply, headers: { ...reply.headers, ...headers } }
      }
      const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
      return {
        status,
        headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
        body: text,
      }
    } catch (error) {
      return problemReply(
        error instanceof Problem ? error : new Problem('internal', String(error)),
        entry.path,
      )
    }
  }

  async #upgrade(req, socket, head) {
    socket.on('error', () => socket.destroy())
    const { origin } = req.headers
    const [path] = req.url.split('?', 1)
    const entry = { method: 'GET', path, url: req.url, headers: req.headers }
    this.#record(this.requests, { ...entry, query: {}, isUpgrade: true })
    const rule = this.#rules.of(entry)
    if (!(await this.#rules.pass(rule)) || socket.destroyed) return
    const isForeign = origin !== undefined && !this.origins.has(origin)
    const status = rule?.cut === true ? 0 : path !== '/ws' ? 404 : isForeign ? 403 : (rule?.status ?? 101)
    if (status === 0) socket.destroy()
    else if (status === 101) this.live.accept(req, socket, head)
    else {
      const reply = problemReply(problemOfStatus(status), path)
      const headers = {
        ...reply.headers,
        'content-length': Buffer.byteLength(reply.body),
        connection: 'close',
      }
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${reply.body}`)
    }
  }

  /** Performs one action of a case; see CASES.md. */
  async apply(action) {
    const [[name, value]] = Object.entries(action)
    const actions = {
      publish: () => this.live.announce(this.prompts.publish(value)),
      put: () => this.prompts.put(value),
      delete: () => this.live.announce(this.prompts.delete(value)),
      frame: () => this.live.broadcast(value),
      raw: () => this.live.raw(value),
      close: () => this.live.close(value.code, value.reason ?? ''),
      drop: () => this.live.drop(value),
      freeze: () => this.live.freeze(),
      down: () => this.stop(),
      up: () => this.start(),
      seq: () => Object.assign(this.prompts, { seq: value }),
      revoke: () => this.tokens.delete(value) && this.live.closeOf(value),
      accept: () => this.tokens.add(value),
      mute: () => this.#set({ isMute: value }),
      hello: () => this.#set({ hello: value }),
      release: () => this.#rules.release(),
      reject_upgrade: () => this.#rules.rejectUpgrades(value),
      respond: () => (value === null ? this.#rules.clear() : this.#rules.add(value)),
    }
    await actions[name]()
  }

  #set(members) {
    Object.assign(this, members)
  }
}

function parse(bytes) {
  try {
    return bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
