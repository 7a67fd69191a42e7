import { z } from 'zod'
import { oneOf, textListParam, textParam } from '../../../lib/page/search.ts'
import { resourceSearch } from '../../../shared/resources/list/search.ts'

export const agentsSearch = z.object({
  ...resourceSearch,
  provider: textListParam(),
  prompt_key: textListParam(),
})
export type AgentsSearch = z.output<typeof agentsSearch>

export const agentTabs = ['edit', 'versions', 'runs', 'audit'] as const

/** `from` and `to` are the sides of the comparison on the Versions tab. */
export const agentSearch = z.object({ tab: oneOf(agentTabs), from: textParam(), to: textParam() })
