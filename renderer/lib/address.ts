import { z } from 'zod'
import { one } from './search.ts'

/** Search parameters every page of the shell has: the workspace looked at stays while moving between pages. */
export const shellSearch = z.object({ workspace: one() })

/** Where to go after signing in: only paths of this console, never another origin. */
export function safeReturnPath(path: string | undefined): string {
  if (path === undefined || !path.startsWith('/') || path.startsWith('//') || path.startsWith('/login'))
    return '/'
  const url = new URL(path, location.origin)
  return url.origin === location.origin ? `${url.pathname}${url.search}` : '/'
}
