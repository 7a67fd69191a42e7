import { z } from 'zod'
import { periodSearch } from '../../lib/format/period.ts'
import { listSearch, oneOf, textListParam, textParam } from '../../lib/page/search.ts'

export const sessionsSearch = z.object({
  ...listSearch,
  ...periodSearch,
  sort: oneOf(['last_run_at', '-last_run_at']),
  workspace: textParam(),
  end_user: textListParam(),
  view: textParam(),
})
export type SessionsSearch = z.output<typeof sessionsSearch>

/** The workspace of the session, because several can have one with the same id. */
export const sessionSearch = z.object({ workspace: textParam() })
