import { z } from 'zod'
import { definitionSorts } from '../../../contract/definition.ts'
import { executionStatuses } from '../../../contract/workflow-run.ts'
import { listSearch, many, manyOf, one, oneOf } from '../../lib/search.ts'

export const workflowsSearch = z.object({
  ...listSearch,
  sort: oneOf(definitionSorts),
  workspace: one(),
  /** One by its whole key: where a link comes from that knows no id. */
  key: many(),
})
export type WorkflowsSearch = z.output<typeof workflowsSearch>

export const workflowTabs = ['edit', 'run', 'executions', 'versions', 'audit'] as const
export type WorkflowTab = (typeof workflowTabs)[number]

/** `from` and `to` are the sides of the comparison on Versions; the rest belongs to Executions. */
export const workflowSearch = z.object({
  tab: oneOf(workflowTabs),
  from: one(),
  to: one(),
  status: manyOf(executionStatuses),
  cursor: one(),
})
export type WorkflowSearch = z.output<typeof workflowSearch>
