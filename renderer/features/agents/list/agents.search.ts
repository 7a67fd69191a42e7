import { z } from 'zod'
import { resourceSorts } from '../../../../contract/versioned.ts'
import { listSearch, many, one, oneOf } from '../../../lib/page/search.ts'

export const agentsSearch = z.object({
  ...listSearch,
  sort: oneOf(resourceSorts),
  workspace: one(),
  provider: many(),
  prompt_key: many(),
  /** Exact keys, for links from places that do not know the id. */
  key: many(),
})
export type AgentsSearch = z.output<typeof agentsSearch>

export const agentTabs = ['edit', 'versions', 'runs', 'audit'] as const

/** `from` and `to` are the sides of the comparison on the Versions tab. */
export const agentSearch = z.object({ tab: oneOf(agentTabs), from: one(), to: one() })
