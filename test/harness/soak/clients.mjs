// @ts-check
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import WebSocket from 'ws'

/** @typedef {'sdk' | 'browser' | 'old sdk' | 'limited'} Kind */
/**
 * The sequence numbers that one connection covered.
 * @typedef {{ from: number, to: number, audit: number[], isCollapsed: boolean }} Span
 */

/** @typedef {ReturnType<typeof createStatistics>} Statistics */
/** @typedef {{ statistics: Statistics, token: string, base: string, socket: WebSocket | null, isClosing: boolean }} State */

/** @param {Kind} kind */
const createStatistics = (kind) => ({
  kind,
  resumes: kind === 'sdk' || kind === 'limited',
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
})

/**
 * A client that reconnects whenever its connection ends. An SDK resumes with `since_seq`, so it receives each
 * frame once over all connections. A browser and an old SDK fetch their data again, so they receive each
 * frame once per connection.
 * @param {string} url @param {{ kind: Kind, token: string, number: number }} options
 */
export function createClient(url, { kind, token, number }) {
  const app = `soak-${kind.replace(' ', '-')}-${number}`
  const base = `${url.replace('http', 'ws')}/ws?client=${kind === 'browser' ? 'browser' : 'node-sdk'}&app=${app}&namespace=${kind === 'browser' ? '*' : 'prod'}`
  const statistics = createStatistics(kind)
  /** @type {State} */
  const state = { statistics, token, base, socket: null, isClosing: false }
  return Object.assign(statistics, {
    isOpen: () => state.socket?.readyState === WebSocket.OPEN,
    /** Connects and reads until `close`. */
    async run() {
      while (!state.isClosing) {
        await connect(state).catch(() => undefined)
        if (!state.isClosing) await delay(200 + (number % 10) * 30)
      }
    },
    async close() {
      state.isClosing = true
      const { socket } = state
      if (socket === null || socket.readyState === WebSocket.CLOSED) return
      const closed = once(socket, 'close')
      socket.terminate()
      await closed
    },
  })
}

/** Connects once. Resolves when the connection has ended. @param {State} state */
async function connect(state) {
  const { statistics, token, base } = state
  const { kind, resumes } = statistics
  const socket = new WebSocket(
    kind === 'old sdk' ? `${base}&token=${token}` : base,
    kind === 'old sdk' || resumes ? {} : { headers: { authorization: `Bearer ${token}` } },
  )
  state.socket = socket
  const closed = once(socket, 'close')
  socket.on('error', () => undefined)
  socket.on('open', () => {
    statistics.connections += 1
    const since = statistics.lastSeq !== null && { since_seq: statistics.lastSeq }
    if (resumes) socket.send(JSON.stringify({ type: 'hello', token, ...since }))
  })
  /** @type {Span} */
  const span = { from: 0, to: 0, audit: [], isCollapsed: false }
  statistics.spans.push(span)
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data))
    countFrame(statistics, frame, span)
    if (resumes && frame.type === 'prompt.published')
      socket.send(JSON.stringify({ type: 'ack', seq: frame.seq, key: frame.key, version: frame.version }))
  })
  await closed
}

/** @param {Statistics} statistics @param {any} frame @param {Span} span */
function countFrame(statistics, frame, span) {
  statistics.frames += 1
  if (frame.type === 'resync') statistics.resyncs += 1
  if (typeof frame.seq !== 'number') return
  if (frame.type === 'hello') {
    span.from = frame.seq
    span.to = frame.seq
    statistics.lastSeq ??= frame.seq
    return
  }
  if (frame.seq < span.to) statistics.reversed += 1
  span.to = Math.max(span.to, frame.seq)
  statistics.lastSeq = Math.max(statistics.lastSeq ?? 0, frame.seq)
  if (frame.type === 'changed' && frame.entity === 'audit') {
    if (frame.id === null) span.isCollapsed = true
    else span.audit.push(Number(frame.id))
  }
  if (frame.type === 'prompt.published') countVersion(statistics, frame)
}

/** @param {Statistics} statistics @param {{ key: string, version: string, seq: number }} frame */
function countVersion({ seen }, { key, version, seq }) {
  const name = `${key} ${version}`
  seen.set(name, { times: (seen.get(name)?.times ?? 0) + 1, seq })
}
