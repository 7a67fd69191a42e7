import type { IncomingMessage } from 'node:http'
import { type BasePath, withoutBasePath } from '../../lib/text/base-path.ts'

/**
 * Prepares target and Host header of a request for the guard and the routes (RFC 9112, 3.2). An absolute target
 * replaces the Host header. A request with several Host headers has none, because others may read another of them.
 */
export function prepareTarget(req: IncomingMessage, basePath: BasePath): void {
  const target = req.url ?? '/'
  if (hasSeveralHosts(req.rawHeaders)) delete req.headers.host
  req.url = withoutBasePath(isOriginForm(target) ? target : fromAbsolute(req, target), basePath)
}

const isOriginForm = (target: string): boolean => target.startsWith('/') || target === '*'

function fromAbsolute({ headers }: IncomingMessage, target: string): string {
  if (!URL.canParse(target)) return '/'
  const { host, pathname, search } = new URL(target)
  if (headers.host !== undefined) headers.host = host
  return pathname + search
}

/** `rawHeaders` contains names and values alternately. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // The length excludes most names at little cost.
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}
