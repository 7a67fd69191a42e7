import { z } from 'zod'
import { textParam, useSearchState } from './search.ts'

/** Search parameters of every page in the shell. The selected workspace stays while moving between pages. */
export const shellSearch = z.object({ workspace: textParam() })

/** Returns the search parameters of every page in the shell, and a function that changes them. */
export const useShellSearch = () => useSearchState('', shellSearch)

/** Returns the path to open after sign-in. Only paths of this console are accepted, never another origin. */
export function safeReturnPath(path: string | undefined): string {
  if (path === undefined || !path.startsWith('/') || path.startsWith('//') || path.startsWith('/login'))
    return '/'
  const url = new URL(path, location.origin)
  return url.origin === location.origin ? `${url.pathname}${url.search}` : '/'
}
