import { z } from 'zod'
import { textParam } from '../../lib/page/search.ts'

/**
 * The resource to open; cleared once it is open. `version` is `draft` or a label such as `v3`, and belongs to
 * `prompt`. `run` is the id of a run, `agent` the id of an agent.
 */
export const playgroundSearch = z.object({
  prompt: textParam(),
  version: textParam(),
  run: textParam(),
  agent: textParam(),
})
