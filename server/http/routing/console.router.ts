import { existsSync } from 'node:fs'
import { join } from 'node:path'
import compression from 'compression'
import express, { Router } from 'express'
import { fail } from '../../lib/fail.ts'
import { pageHeaders } from '../security-headers.ts'
import type { Step } from '../steps/request-state.ts'

/** Creates the router that serves the files of the console, and its page for every other path. */
export function createConsoleRouter(consoleDir: string): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(pageHeaders)
  router.use(compression())
  router.use(selectPage(join(consoleDir, 'index.html')))
  router.use(
    express.static(consoleDir, {
      index: false,
      setHeaders: (res, path) => {
        // Vite puts a hash of the content into the names of built files, so they never change.
        const isHashed = /[\\/]assets[\\/]/.test(path)
        res.setHeader('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
        // The table of types in `send` has no charset for SVG.
        if (path.endsWith('.svg')) res.setHeader('content-type', 'image/svg+xml; charset=utf-8')
      },
    }),
  )
  router.use(() => {
    throw fail('not_found')
  })
  return router
}

/** Serves the page for a path without a file extension, because the console routes in the browser. */
function selectPage(index: string): Step {
  return (req, res, next) => {
    const { path } = res.locals
    const isPage = !/\.\w{1,8}$/.test(path) || path === '/index.html'
    if (isPage && !existsSync(index))
      throw fail('not_found', { detail: 'The console is not built. Run npm run build.' })
    if (isPage) req.url = '/index.html'
    next()
  }
}
