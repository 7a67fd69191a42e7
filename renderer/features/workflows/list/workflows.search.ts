import { z } from 'zod'
import { executionStatuses } from '../../../../contract/workflows/workflow-run.ts'
import { manyOf, oneOf, textParam } from '../../../lib/page/search.ts'
import { resourceSearch } from '../../../shared/resources/list/search.ts'

export const workflowsSearch = z.object(resourceSearch)
export type WorkflowsSearch = z.output<typeof workflowsSearch>

export const workflowTabs = ['edit', 'run', 'executions', 'versions', 'audit'] as const
export type WorkflowTab = (typeof workflowTabs)[number]

/**
 * `from` and `to` are the sides of the comparison on the Versions tab; `status` and `cursor` belong to
 * Executions.
 */
export const workflowSearch = z.object({
  tab: oneOf(workflowTabs),
  from: textParam(),
  to: textParam(),
  status: manyOf(executionStatuses),
  cursor: textParam(),
})
export type WorkflowSearch = z.output<typeof workflowSearch>
