import { fail, type Problem } from '../../lib/fail.ts'
import type { Step } from '../steps/request-state.ts'

/** Maximum length of a segment of a path. Longer ones match no route. */
const maxSegmentLength = 2048

/** Percent-encoded characters that never need encoding (RFC 3986, 2.3): letters, digits and `-._~`. */
const encodedUnreserved = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi

/**
 * Returns the step that prepares the path for matching. It decodes characters that need no encoding, because a
 * proxy may have encoded them (RFC 3986, 6.2.2.2). It refuses a path that no route can match: Express would
 * ignore a slash at the end of a router's own path, and reply 400 to malformed UTF-8 only where a parameter is.
 */
export function createPreparePath(authenticate: Step): Step {
  return (req, res, next) => {
    const { path } = res.locals
    if (!isRoutable(path)) return authenticate(req, res, (error) => next(error ?? unknownPath()))
    if (path.includes('%')) req.url = (req.url ?? '/').replace(encodedUnreserved, decodeURIComponent)
    next()
  }
}

export const unknownPath = (): Problem => fail('not_found', { detail: 'Route not found.' })

function isRoutable(path: string): boolean {
  if (path.endsWith('/')) return false
  if (path.length <= maxSegmentLength && !path.includes('%')) return true
  try {
    return path.split('/').every((segment) => decodeURIComponent(segment).length <= maxSegmentLength)
  } catch {
    return false
  }
}
