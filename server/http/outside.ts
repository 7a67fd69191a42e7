import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import compression from 'compression'
import serveStatic from 'serve-static'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { Health } from '../../contract/health.ts'
import type { Authenticator } from '../auth/identity.ts'
import type { Db } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { fail } from '../lib/fail.ts'
import { bearerToken } from './access.ts'
import { renderDocs } from './docs.ts'
import { pageHeaders } from './headers.ts'
import { storeHealth } from './health.ts'
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
  /** Rejects a request for the live connection without an upgrade. */
  readonly requireUpgrade: (req: IncomingMessage) => Promise<never>
  readonly isLoopbackPeer: (req: IncomingMessage) => boolean
  /** Returns why deletion by age is paused, or null. */
  readonly deletionPaused: () => string | null
  readonly defaultsInForce: () => { password: boolean; token: boolean }
}

/** Serves everything outside /api: health, metrics, documentation, the console. */
export function createOutside(deps: OutsideDeps) {
  // Created on the first request, because the schemas would take a large part of the start time.
  let openApi: string | undefined
  let docs: string | undefined
  const index = join(deps.consoleDir, 'index.html')
  const compress = compression()
  const files = serveStatic(deps.consoleDir, {
    index: false,
    setHeaders: (res, path) => {
      // Vite puts a hash of the content into the names of built files, so they never change.
      const isHashed = /[\\/]assets[\\/]/.test(path)
      res.setHeader('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      // The table of types in serve-static has no charset for SVG.
      if (path.endsWith('.svg')) res.setHeader('content-type', 'image/svg+xml; charset=utf-8')
    },
  })

  const health = (req: IncomingMessage, res: ServerResponse, head: ReplyHead) => {
    const { ok, status, reason } = storeHealth(deps.db.status())
    const paused = deps.deletionPaused()
    const body: Health = {
      ok,
      status,
      version: deps.version,
      ...(reason !== undefined && { reason }),
      ...(paused !== null && { deletion: { status: 'paused', reason: paused } }),
      ...(deps.isLoopbackPeer(req) && { defaults: deps.defaultsInForce() }),
    }
    return sendJson(req, res, head, ok ? 200 : 503, JSON.stringify(body))
  }

  const metrics = async (req: IncomingMessage, res: ServerResponse, head: ReplyHead) => {
    if (!deps.isLoopbackPeer(req)) {
      const identity = await deps.authenticator.identify(
        bearerToken(req.headers.authorization),
        deps.clock.now(),
      )
      const { role, limits } = identity.actor
      if (role !== 'admin' || limits !== undefined || identity.isBlocked)
        throw fail('auth.forbidden', { requiredRole: 'admin' })
    }
    const { contentType, text } = await deps.metrics.render()
    await sendText(req, res, head, 200, contentType, text)
  }

  /** Serves a file of the console, or its page for every path without a file extension. */
  const console = (req: IncomingMessage, res: ServerResponse, head: ReplyHead, path: string) =>
    new Promise<void>((resolve, reject) => {
      res.once('close', resolve)
      for (const [name, value] of Object.entries({ ...head.headers, ...pageHeaders }))
        res.setHeader(name, value)
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
    if (path === '/ws') return deps.requireUpgrade(req)
    if (path === '/health') return health(req, res, head)
    if (path === '/metrics') return metrics(req, res, head)
    if (path === '/openapi.json') {
      openApi ??= JSON.stringify(createOpenApi(deps.endpoints, deps.version))
      return sendJson(req, res, head, 200, openApi)
    }
    if (path === '/docs') {
      const page = { ...head, headers: { ...head.headers, ...pageHeaders } }
      docs ??= renderDocs(deps.endpoints, deps.version)
      return sendText(req, res, page, 200, 'text/html; charset=utf-8', docs)
    }
    return console(req, res, head, path)
  }
}
