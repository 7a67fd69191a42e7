import { z } from 'zod'
import { runStatuses } from '../../../contract/runs/run.ts'
import { periodSearch } from '../../lib/format/period.ts'
import { listSearch, manyOf, numberParam, textListParam, textParam } from '../../lib/page/search.ts'

export const runsSearch = z.object({
  ...listSearch,
  ...periodSearch,
  workspace: textParam(),
  source: textListParam(),
  provider: textListParam(),
  model: textListParam(),
  status: manyOf(runStatuses),
  ref_key: textListParam(),
  version: textListParam(),
  user: textListParam(),
  client: textListParam(),
  parent_id: textListParam(),
  error_type: textListParam(),
  min_latency_ms: numberParam(),
  max_latency_ms: numberParam(),
  content: textParam(),
})
export type RunsSearch = z.output<typeof runsSearch>
