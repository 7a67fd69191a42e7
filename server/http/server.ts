import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Logger } from 'pino'
import { answerClientErrors } from './client-errors.ts'
import { answerPreflight, corsHeaders } from './cors.ts'
import type { Guard } from './guard.ts'
import { toProblem } from './problem.ts'
import { type ReplyHead, sendProblem } from './reply.ts'
import type { ReplyGate } from './reply-gate.ts'

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>
type OutsideHandler = (req: IncomingMessage, res: ServerResponse, head: ReplyHead) => Promise<void>

type Timeouts = Pick<
  ServerOptions,
  'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval' | 'keepAliveTimeout'
>

/** Time limits for the arrival of a request, in milliseconds: its head, and all of it. */
export const defaultTimeouts: Timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Interval at which Node enforces the two limits above.
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
}

export type HttpServerDeps = {
  readonly pipeline: Handler
  readonly outside: OutsideHandler
  readonly guard: Guard
  readonly gate: ReplyGate
  readonly timeouts?: Timeouts
  readonly logger: Logger
}

/** Creates the HTTP server: /api goes through the pipeline, everything else through `outside`. */
export function createHttpServer({
  pipeline,
  outside,
  guard,
  gate,
  logger,
  timeouts = defaultTimeouts,
}: HttpServerDeps): Server {
  const server = createServer(timeouts, (req, res) => {
    res.on('error', (err) => logger.debug({ err }, 'the peer left'))
    const url = req.url ?? '/'
    const isApi = url === '/api' || url.startsWith('/api/') || url.startsWith('/api?')
    gate(req, res, () => void (isApi ? pipeline(req, res) : serveOutside(req, res)))
  })
  const serveOutside: Handler = async (req, res) => {
    const head: ReplyHead = { requestId: `req_${randomUUID()}`, headers: corsHeaders(guard, req) }
    try {
      if (answerPreflight(guard, req, res, head.requestId)) return
      const refusal = guard.refuse(req.headers)
      if (refusal) throw refusal
      await outside(req, res, head)
    } catch (error) {
      const problem = toProblem(error)
      if (problem.status >= 500)
        logger.error({ err: problem.extra.cause ?? problem, ...head }, problem.message)
      await sendProblem(req, res, head, problem).catch((err: unknown) => logger.warn({ err }, 'reply lost'))
    }
  }
  answerClientErrors(server)
  return server
}

/** Starts listening. Resolves with the origin to open. Rejects with a message that says what to do. */
export function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: `Port ${port} on ${host} is taken. Stop what uses it, or set PORT (0 picks a free one).`,
        EACCES: `Port ${port} needs rights this user does not have. Set PORT to one above 1023.`,
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
