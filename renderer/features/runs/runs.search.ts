import { z } from 'zod'
import { runStatuses } from '../../../contract/runs/run.ts'
import { periodSearch } from '../../lib/format/period.ts'
import { figure, listSearch, many, manyOf, one } from '../../lib/page/search.ts'

export const runsSearch = z.object({
  ...listSearch,
  ...periodSearch,
  workspace: one(),
  source: many(),
  provider: many(),
  model: many(),
  status: manyOf(runStatuses),
  ref_key: many(),
  version: many(),
  user: many(),
  client: many(),
  parent_id: many(),
  error_type: many(),
  min_latency_ms: figure(),
  max_latency_ms: figure(),
})
export type RunsSearch = z.output<typeof runsSearch>
