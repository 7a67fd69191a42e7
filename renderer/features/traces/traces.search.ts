import { z } from 'zod'
import { textParam } from '../../lib/page/search.ts'

/** The workspace of the trace; without one, the runs of all workspaces are shown. */
export const traceSearch = z.object({ workspace: textParam() })
