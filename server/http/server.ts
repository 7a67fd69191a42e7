import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Guard } from './guard.ts'
import { toProblem } from './problem.ts'
import { type ReplyHead, sendProblem } from './reply.ts'

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>
type OutsideHandler = (req: IncomingMessage, res: ServerResponse, head: ReplyHead) => Promise<void>

export type HttpServerDeps = {
  readonly pipeline: Handler
  readonly outside: OutsideHandler
  readonly guard: Guard
  readonly logger: Logger
}

/** One HTTP server: /api through the pipeline, the rest outside it. */
export function createHttpServer({ pipeline, outside, guard, logger }: HttpServerDeps): Server {
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
    (req, res) => {
      res.on('error', (err) => logger.debug({ err }, 'the peer left'))
      const url = req.url ?? '/'
      const isApi = url === '/api' || url.startsWith('/api/') || url.startsWith('/api?')
      void (isApi ? pipeline(req, res) : serveOutside(req, res))
    },
  )
  const serveOutside: Handler = async (req, res) => {
    const head: ReplyHead = { requestId: `req_${randomUUID()}`, headers: {} }
    try {
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
  server.on('clientError', (_error, socket) => {
    if (socket.writable)
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })
  return server
}

/** Starts listening; rejects with a sentence a person can act on. Resolves with the origin to open. */
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
