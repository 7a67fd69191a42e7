import { randomUUID } from 'node:crypto'
import { WebSocketServer } from 'ws'

/** Time limit for the hello of each socket; in the service, of each socket whose upgrade had no token. */
const helloMs = 5000
const maxFrameBytes = 65_536

/** The `/ws` endpoint of the fault server. `state` is shared with the routes. */
export class Live {
  #server = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, autoPong: false })
  #peers = new Set()
  opened = 0

  constructor(state, onFrame) {
    this.state = state
    this.onFrame = onFrame
  }

  accept(req, socket, head) {
    this.#server.handleUpgrade(req, socket, head, (ws) => this.#open(req, socket, ws))
  }

  #open(req, tcp, ws) {
    this.opened += 1
    const peer = {
      ws,
      tcp,
      number: this.opened,
      hello: null,
      isFrozen: false,
      timer: null,
    }
    this.#peers.add(peer)
    const [, bearer] = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '') ?? []
    peer.bearer = bearer ?? null
    peer.timer = setTimeout(() => ws.close(4401, 'No hello with a token arrived in time'), helloMs)
    ws.on('ping', (data) => peer.isFrozen || ws.pong(data))
    ws.on('message', (data, isBinary) => this.#onMessage(peer, data, isBinary))
    ws.on('error', () => ws.terminate())
    ws.on('close', () => {
      clearTimeout(peer.timer)
      this.#peers.delete(peer)
      this.state.changed()
    })
    this.state.changed()
  }

  #onMessage(peer, data, isBinary) {
    const frame = isBinary ? null : parse(String(data))
    this.onFrame({ connection: peer.number, ...(frame ?? { type: 'unreadable' }) })
    if (isBinary) peer.ws.close(1008, 'Frames are JSON text')
    else if (frame === null) peer.ws.close(1008, 'A frame is a JSON object with a type')
    else if (frame.type === 'hello') this.#handshake(peer, frame)
    else if (peer.hello === null) peer.ws.close(4401, 'The first frame must be a hello with a token')
    else if (frame.type === 'ping' && !this.state.isMute) this.send(peer, { type: 'pong' })
    else if (frame.type === 'ack' && typeof frame.version !== 'string')
      peer.ws.close(1008, 'ack version: expected string')
  }

  #handshake(peer, frame) {
    const token = frame.token ?? peer.bearer
    if (!this.state.tokens.has(token)) {
      peer.ws.close(4401, 'The token is unknown, expired or revoked. Sign in again.')
      return
    }
    clearTimeout(peer.timer)
    peer.hello = { namespace: 'prod', workspace: 'default', ...frame, token }
    const { prompts, hello, heartbeatS } = this.state
    if (hello === null) return
    this.send(peer, {
      type: 'hello',
      client_id: randomUUID(),
      seq: prompts.seq,
      heartbeat_s: heartbeatS,
      ...hello,
    })
    if (frame.since_seq === undefined) return
    const missed = prompts.missed(frame.since_seq)
    if (missed === null) this.send(peer, { type: 'resync', seq: prompts.seq })
    else for (const missedFrame of missed) this.#sendIfInAudience(peer, missedFrame)
  }

  #sendIfInAudience(peer, frame) {
    if (peer.hello === null || this.state.hello === null) return
    const { namespace, workspace } = peer.hello
    if (frame.env === namespace && frame.workspace_id === workspace) this.send(peer, frame)
  }

  send(peer, frame) {
    if (!peer.isFrozen && peer.ws.readyState === peer.ws.OPEN) peer.ws.send(JSON.stringify(frame))
  }

  /** Sends a frame to all clients of its namespace and workspace. */
  announce(frame) {
    for (const peer of this.#peers) this.#sendIfInAudience(peer, frame)
  }

  broadcast(frame) {
    for (const peer of this.#peers) this.send(peer, frame)
  }

  raw(text) {
    for (const { ws, isFrozen } of this.#peers) if (!isFrozen && ws.readyState === ws.OPEN) ws.send(text)
  }

  close(code, reason) {
    for (const { ws, isFrozen } of this.#peers) if (!isFrozen) ws.close(code, reason)
  }

  closeOf(token) {
    const reason = 'The session or token of this connection has ended'
    for (const { ws, hello } of this.#peers) if (hello?.token === token) ws.close(4401, reason)
  }

  /**
   * Simulates half-open connections: incoming bytes stay unread and nothing is sent, not even a pong or a
   * close.
   */
  freeze() {
    for (const peer of this.#peers) {
      peer.isFrozen = true
      peer.ws.pause()
    }
  }

  /** Ends the TCP connections; with `mid-frame`, in the middle of a frame. */
  drop(how) {
    for (const { ws, tcp } of [...this.#peers]) {
      if (how !== 'mid-frame') ws.terminate()
      else
        tcp.write(Buffer.concat([Buffer.from([0x81, 100]), Buffer.from('{"type":"prompt.pub')]), () =>
          ws.terminate(),
        )
    }
  }

  /** Number of open sockets with a valid hello that are not frozen. */
  get open() {
    return [...this.#peers].filter((peer) => peer.hello !== null && !peer.isFrozen).length
  }
}

function parse(text) {
  try {
    const frame = JSON.parse(text)
    return typeof frame === 'object' && frame !== null && typeof frame.type === 'string' ? frame : null
  } catch {
    return null
  }
}
