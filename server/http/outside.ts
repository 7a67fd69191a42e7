import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import compression from 'compression'
import serveStatic from 'serve-static'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { Authenticator } from '../auth/identity.ts'
import type { Db } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { fail } from '../lib/fail.ts'
import { bearerToken } from './access.ts'
import { renderDocs } from './docs.ts'
import { pageHeaders } from './headers.ts'
import type { Metrics } from './metrics.ts'
import { createOpenApi } from './openapi.ts'
import { type ReplyHead, sendJson, sendText } from './reply.ts'

export type OutsideDeps = {
  readonly endpoints: readonly Endpoint[]
  readonly version: string
  /** Folder of the built console. */
  readonly consoleDir: string
  readonly db: Db
  readonly metrics: Metrics
  readonly authenticator: Authenticator
  readonly clock: Clock
  readonly isLoopbackPeer: (req: IncomingMessage) => boolean
  readonly defaultsInForce: () => { password: boolean; token: boolean }
}

/** Everything that is not under /api: health, metrics, documentation, the console. */
export function createOutside(deps: OutsideDeps) {
  const openApi = JSON.stringify(createOpenApi(deps.endpoints, deps.version))
  const docs = renderDocs(deps.endpoints, deps.version)
  const index = join(deps.consoleDir, 'index.html')
  const compress = compression()
  const files = serveStatic(deps.consoleDir, {
    index: false,
    setHeaders: (res, path) => {
      // Vite names what it builds after its content, so such a file never changes.
      const isHashed = /[\\/]assets[\\/]/.test(path)
      res.setHeader('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })

  const health = (req: IncomingMessage, res: ServerResponse, head: ReplyHead) => {
    const isOk = deps.db.status().state === 'open'
    const body = {
      ok: isOk,
      status: isOk ? 'ok' : 'store_unavailable',
      version: deps.version,
      ...(deps.isLoopbackPeer(req) && { defaults: deps.defaultsInForce() }),
    }
    return sendJson(req, res, head, isOk ? 200 : 503, JSON.stringify(body))
  }

  const metrics = async (req: IncomingMessage, res: ServerResponse, head: ReplyHead) => {
    if (!deps.isLoopbackPeer(req)) {
      const identity = await deps.authenticator.identify(
        bearerToken(req.headers.authorization),
        deps.clock.now(),
      )
      if (identity.actor.role !== 'admin') throw fail('auth.forbidden', { requiredRole: 'admin' })
    }
    const { contentType, text } = await deps.metrics.render()
    await sendText(req, res, head, 200, contentType, text)
  }

  /** A file of the console, or its page for every address the console's router knows. */
  const console = (req: IncomingMessage, res: ServerResponse, path: string) =>
    new Promise<void>((resolve, reject) => {
      res.once('close', resolve)
      for (const [name, value] of Object.entries(pageHeaders)) res.setHeader(name, value)
      compress(req as never, res as never, () => {
        const isPage = !/\.\w{1,8}$/.test(path) || path === '/index.html'
        if (isPage && !existsSync(index)) {
          reject(fail('not_found', { detail: 'The console is not built. Run npm run build.' }))
          return
        }
        if (isPage) req.url = '/index.html'
        files(req, res, (error) => reject(error ?? fail('not_found')))
      })
    })

  return async (req: IncomingMessage, res: ServerResponse, head: ReplyHead): Promise<void> => {
    const path = (req.url ?? '/').split('?', 1)[0] ?? '/'
    if (req.method !== 'GET' && req.method !== 'HEAD')
      throw fail('method_not_allowed', { allow: ['GET', 'HEAD'] })
    if (path === '/health') return health(req, res, head)
    if (path === '/metrics') return metrics(req, res, head)
    if (path === '/openapi.json') return sendJson(req, res, head, 200, openApi)
    if (path === '/docs') {
      const page = { ...head, headers: { ...head.headers, ...pageHeaders } }
      return sendText(req, res, page, 200, 'text/html; charset=utf-8', docs)
    }
    return console(req, res, path)
  }
}
