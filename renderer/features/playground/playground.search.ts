import { z } from 'zod'
import { one } from '../../lib/search.ts'

/**
 * What the Playground is asked to open; it forgets that once it has. `version` is of the prompt: `draft`, or `v3`.
 * `run` is an entry of the run log, `agent` an agent with everything it is made of.
 */
export const playgroundSearch = z.object({ prompt: one(), version: one(), run: one(), agent: one() })
