import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { messageOf } from '../../lib/text/message-of.ts'
import type { Credentials } from '../certificates/credentials.ts'
import { dispatchByFirstByte } from './first-byte.ts'
import { type Binding, bind } from './sockets.ts'
import { newTicketKeys, protocolOptions } from './tls-options.ts'

/** Hosts to listen on: an address, with its zone if it needs one. */
export type Places = { readonly hosts: readonly string[]; readonly port: number }

export type LanListener = {
  /** Sets the server of the application. Call it before `listenOn`. */
  serve(https: HttpsServer): void
  /** Presents this certificate to new connections. */
  present(credentials: Credentials): void
  /** Replaces the keys of session tickets. */
  rotateTicketKeys(): void
  /** Listens on exactly these hosts. Returns the port in use and a message for each host that failed. */
  listenOn(places: Places): Promise<{ readonly port: number | null; readonly failures: readonly string[] }>
  /** Stops accepting connections, and closes the open ones after `graceMs`. Resolves when all are closed. */
  stop(): Promise<void>
  /** Closes all connections. */
  close(): void
}

export type LanListenerDeps = {
  /** Serves the trust page over plain HTTP. */
  readonly trust: HttpServer
  /** Returns false, and closes the socket, if its address has too many connections. */
  readonly admit: (socket: Socket) => boolean
}

/** Time for open requests after sharing was turned off, in milliseconds. */
const graceMs = 2_000

type State = LanListenerDeps & {
  /** Serves the application over TLS; null until `serve`. */
  https: HttpsServer | null
  readonly bindings: Map<string, Binding>
  /** Bindings that accept no more connections, but still have some. */
  readonly stopping: Set<Binding>
  /** The requested port; 0 selects a free one. */
  requestedPort: number | null
}

/** Creates the listener of the local network. It listens on nothing until `listenOn`. */
export function createLanListener(deps: LanListenerDeps): LanListener {
  const state: State = {
    ...deps,
    https: null,
    bindings: new Map(),
    stopping: new Set(),
    requestedPort: null,
  }
  startTimeLimits(deps.trust)
  return {
    serve(https) {
      state.https = https
      startTimeLimits(https)
    },
    present(credentials) {
      const { chainPem: cert, keyPem: key } = credentials
      state.https?.setSecureContext({ ...protocolOptions, cert, key })
      state.https?.setTicketKeys(newTicketKeys())
    },
    rotateTicketKeys: () => state.https?.setTicketKeys(newTicketKeys()),
    listenOn: (places) => listenOn(state, places),
    stop: () => stop(state),
    close() {
      void stop(state)
      for (const binding of state.stopping) binding.destroy()
      state.https?.close()
      deps.trust.close()
    },
  }
}

/**
 * Node enforces the time limits of requests from the event `listening` on. These servers never listen
 * themselves: they receive sockets that the bindings accept.
 */
const startTimeLimits = (server: HttpServer | HttpsServer): void => void server.emit('listening')

async function listenOn(state: State, { hosts, port }: Places): ReturnType<LanListener['listenOn']> {
  if (state.requestedPort !== port) void stop(state)
  state.requestedPort = port
  for (const [host, binding] of state.bindings) {
    if (hosts.includes(host)) continue
    void binding.stop()
    // The address no longer exists or is no longer chosen.
    binding.destroy()
    state.bindings.delete(host)
  }
  const failures: string[] = []
  for (const host of hosts) {
    if (state.bindings.has(host)) continue
    const used = portInUse(state) ?? port
    await bind(host, used, (socket) => accept(state, socket)).then(
      (binding) => state.bindings.set(host, binding),
      (error: unknown) => failures.push(messageOf(error)),
    )
  }
  return { port: portInUse(state), failures }
}

const portInUse = ({ bindings }: State): number | null => [...bindings.values()][0]?.port ?? null

function accept({ https, trust, admit }: State, socket: Socket): void {
  if (https === null) socket.destroy()
  else if (admit(socket)) dispatchByFirstByte(socket, { tls: https, plain: trust })
}

async function stop(state: State): Promise<void> {
  const stopped = [...state.bindings.values()]
  state.bindings.clear()
  state.requestedPort = null
  for (const binding of stopped) state.stopping.add(binding)
  const ended = stopped.map((binding) => binding.stop())
  state.https?.closeIdleConnections()
  const timer = setTimeout(() => {
    for (const binding of stopped) binding.destroy()
  }, graceMs)
  await Promise.all(ended)
  clearTimeout(timer)
  for (const binding of stopped) state.stopping.delete(binding)
}
