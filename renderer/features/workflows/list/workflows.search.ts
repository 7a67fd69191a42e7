import { z } from 'zod'
import { resourceSorts } from '../../../../contract/versioned.ts'
import { executionStatuses } from '../../../../contract/workflow-run.ts'
import { listSearch, many, manyOf, one, oneOf } from '../../../lib/page/search.ts'

export const workflowsSearch = z.object({
  ...listSearch,
  sort: oneOf(resourceSorts),
  workspace: one(),
  /** Exact keys, for links from places that do not know the id. */
  key: many(),
})
export type WorkflowsSearch = z.output<typeof workflowsSearch>

export const workflowTabs = ['edit', 'run', 'executions', 'versions', 'audit'] as const
export type WorkflowTab = (typeof workflowTabs)[number]

/**
 * `from` and `to` are the sides of the comparison on the Versions tab; `status` and `cursor` belong to
 * Executions.
 */
export const workflowSearch = z.object({
  tab: oneOf(workflowTabs),
  from: one(),
  to: one(),
  status: manyOf(executionStatuses),
  cursor: one(),
})
export type WorkflowSearch = z.output<typeof workflowSearch>
