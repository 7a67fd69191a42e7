import { z } from 'zod'
import { textParam } from '../../lib/page/search.ts'

export const traceSearch = z.object({
  /** The workspace of the trace; without one, the runs of all workspaces are shown. */
  workspace: textParam(),
  /** The run whose drawer is open. */
  run: textParam(),
})
