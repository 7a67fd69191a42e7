// @ts-check
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import WebSocket from 'ws'

/** @typedef {'sdk' | 'browser' | 'old sdk' | 'limited'} Kind */
/** @typedef {{ from: number, to: number, audit: number[], isCollapsed: boolean }} Span The numbers that one connection covered. */

/**
 * A client that reconnects whenever its connection ends. An SDK resumes with `since_seq`, so it receives each
 * frame once over all connections. A browser and an old SDK fetch their data again, so they receive each
 * frame once per connection.
 * @param {string} url @param {{ kind: Kind, token: string, number: number }} options
 */
export function createClient(url, { kind, token, number }) {
  const resumes = kind === 'sdk' || kind === 'limited'
  const app = `soak-${kind.replace(' ', '-')}-${number}`
  const base = `${url.replace('http', 'ws')}/ws?client=${kind === 'browser' ? 'browser' : 'node-sdk'}&app=${app}&namespace=${kind === 'browser' ? '*' : 'prod'}`
  let isClosing = false
  /** @type {WebSocket | null} */
  let socket = null
  const self = {
    kind,
    resumes,
    /**
     * Announced versions, as `key version`, with count and sequence number.
     * @type {Map<string, { times: number, seq: number }>}
     */
    seen: new Map(),
    /** @type {Span[]} */
    spans: [],
    lastSeq: /** @type {number | null} */ (null),
    resyncs: 0,
    reversed: 0,
    connections: 0,
    frames: 0,
    isOpen: () => socket?.readyState === WebSocket.OPEN,
    /** Connects and reads until `close`. */
    async run() {
      while (!isClosing) {
        await connection().catch(() => undefined)
        if (!isClosing) await delay(200 + (number % 10) * 30)
      }
    },
    async close() {
      isClosing = true
      if (socket === null || socket.readyState === WebSocket.CLOSED) return
      const closed = once(socket, 'close')
      socket.terminate()
      await closed
    },
  }

  /** @param {any} frame @param {Span} span */
  function note(frame, span) {
    self.frames += 1
    if (frame.type === 'resync') self.resyncs += 1
    if (typeof frame.seq !== 'number') return
    if (frame.type === 'hello') {
      span.from = frame.seq
      span.to = frame.seq
      self.lastSeq ??= frame.seq
      return
    }
    if (frame.seq < span.to) self.reversed += 1
    span.to = Math.max(span.to, frame.seq)
    self.lastSeq = Math.max(self.lastSeq ?? 0, frame.seq)
    if (frame.type === 'changed' && frame.entity === 'audit') {
      if (frame.id === null) span.isCollapsed = true
      else span.audit.push(Number(frame.id))
    }
    if (frame.type !== 'prompt.published') return
    const version = `${frame.key} ${frame.version}`
    self.seen.set(version, { times: (self.seen.get(version)?.times ?? 0) + 1, seq: frame.seq })
  }

  async function connection() {
    const own = new WebSocket(
      kind === 'old sdk' ? `${base}&token=${token}` : base,
      kind === 'old sdk' || resumes ? {} : { headers: { authorization: `Bearer ${token}` } },
    )
    socket = own
    const closed = once(own, 'close')
    own.on('error', () => undefined)
    own.on('open', () => {
      self.connections += 1
      if (resumes)
        own.send(
          JSON.stringify({ type: 'hello', token, ...(self.lastSeq !== null && { since_seq: self.lastSeq }) }),
        )
    })
    /** @type {Span} */
    const span = { from: 0, to: 0, audit: [], isCollapsed: false }
    self.spans.push(span)
    own.on('message', (data) => {
      const frame = JSON.parse(String(data))
      note(frame, span)
      if (resumes && frame.type === 'prompt.published')
        own.send(JSON.stringify({ type: 'ack', seq: frame.seq, key: frame.key, version: frame.version }))
    })
    await closed
  }
  return self
}
