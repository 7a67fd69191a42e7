import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import compression from 'compression'
import express, { Router } from 'express'
import { fail } from '../../lib/fail.ts'
import { isMissing } from '../../lib/files/is-missing.ts'
import type { BasePath } from '../../lib/text/base-path.ts'
import { sendText } from '../reply/send.ts'
import { pageHeaders } from '../security-headers.ts'
import type { Step } from '../steps/request-state.ts'

/** Creates the router that serves the files of the console, and its page for every other path. */
export function createConsoleRouter(consoleDir: string, basePath: BasePath): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use(pageHeaders)
  router.use(compression())
  router.use(replyWithPage(join(consoleDir, 'index.html'), basePath))
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

/**
 * Replies with the page for a path without a file extension, because the console routes in the browser. The
 * addresses of its files begin with the base path.
 */
function replyWithPage(file: string, basePath: BasePath): Step {
  return async (req, res, next) => {
    const { path } = res.locals
    const isPage = !/\.\w{1,8}$/.test(path) || path === '/index.html'
    if (!isPage) return next()
    const html = await readPage(file)
    res.setHeader('cache-control', 'no-cache')
    await sendText(req, res, 200, 'text/html; charset=utf-8', underBasePath(html, basePath))
  }
}

/** Returns the page with addresses below the base path. Vite writes relative ones. */
const underBasePath = (html: string, basePath: BasePath): string =>
  html
    .replaceAll('"./', `"${basePath}/`)
    .replace('name="base-path" content=""', `name="base-path" content="${basePath}"`)

async function readPage(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) throw fail('not_found', { detail: 'The console is not built. Run npm run build.' })
    throw error
  }
}
