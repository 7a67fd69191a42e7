import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { TlsOptions } from 'node:tls'
import type { Logger } from 'pino'
import type { BasePath } from '../lib/text/base-path.ts'
import type { ReplyLimiter } from './limits/reply-limiter.ts'
import { markLan } from './listener.ts'
import { handleClientErrors } from './node/client-errors.ts'
import type { MessageClasses } from './node/message-classes.ts'
import { prepareTarget } from './node/request-target.ts'

type Timeouts = Pick<
  ServerOptions,
  'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval' | 'keepAliveTimeout'
>

/** Time limits in milliseconds: for the head of a request, for all of it, and for an idle connection. */
export const defaultTimeouts: Timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Interval at which Node enforces the two limits above.
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
}

export type HttpServerDeps = {
  /** Handles a request: the hot routes, then Express. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => void
  readonly messageClasses: MessageClasses
  readonly replyLimiter: ReplyLimiter
  readonly basePath: BasePath
  readonly timeouts?: Timeouts
  readonly logger: Logger
}

/** Creates the HTTP server with its time limits and the limit of unread replies. */
export function createHttpServer(deps: HttpServerDeps): Server {
  const { messageClasses, timeouts = defaultTimeouts } = deps
  const server = createServer({ ...timeouts, ...messageClasses }, listenerOf(deps))
  handleClientErrors(server)
  return server
}

/** Creates the server of the LAN listener, which serves the same requests over TLS. */
export function createHttpsServer(deps: HttpServerDeps, tls: TlsOptions): TlsServer {
  const { messageClasses, timeouts = defaultTimeouts } = deps
  const server = createTlsServer({ ...timeouts, ...messageClasses, ...tls }, listenerOf(deps))
  server.prependListener('secureConnection', markLan)
  // No reply can be sent before the handshake has ended.
  server.prependListener('tlsClientError', (_error, socket) => void socket.destroy())
  handleClientErrors(server)
  return server
}

const listenerOf =
  ({ handle, replyLimiter, basePath, logger }: HttpServerDeps) =>
  (req: IncomingMessage, res: ServerResponse): void => {
    res.on('error', (err) => logger.debug({ err }, 'the peer disconnected'))
    prepareTarget(req, basePath)
    replyLimiter(req, res, () => handle(req, res))
  }

/** Starts listening. Resolves with the origin to open. Rejects with a message that states what to do. */
export function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: `Port ${port} on ${host} is in use. Stop the program that uses it, or set PORT (0 selects a free port).`,
        EACCES: `Port ${port} requires permissions that this user does not have. Set PORT to a value above 1023.`,
        EADDRNOTAVAIL: `This machine has no address ${host}. Set HOST to one of its addresses.`,
        ENOTFOUND: `HOST ${host} cannot be resolved.`,
      }
      reject(
        new Error(reasons[error.code ?? ''] ?? `Cannot listen on ${host}:${port}: ${error.message}`, {
          cause: error,
        }),
      )
    })
    server.listen(port, host, () => {
      const address = server.address()
      const actual = typeof address === 'object' && address !== null ? address.port : port
      const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
      resolve(`http://${name}:${actual}`)
    })
  })
}
