import { z } from 'zod'
import { environments } from '../../../contract/common/environments.ts'
import { runStatuses } from '../../../contract/runs/run.ts'
import {
  optionalRunFields,
  runSorts,
  type ValueFilter,
  valueFilterNames,
} from '../../../contract/runs/run-filters.ts'
import { periodSearch } from '../../lib/format/period.ts'
import {
  listSearch,
  manyOf,
  numberParam,
  oneOf,
  type SearchPatch,
  textListParam,
  textParam,
} from '../../lib/page/search.ts'

/** The filters by value that can be negated. There is one workspace at a time. */
type Negatable = Exclude<ValueFilter, 'workspace' | 'status' | 'env'>
const isNegatable = (name: ValueFilter): name is Negatable => !['workspace', 'status', 'env'].includes(name)
const negatable = valueFilterNames.filter(isNegatable)

type Params<Names extends string> = Record<Names, ReturnType<typeof textListParam>>
const values = Object.fromEntries(negatable.map((name) => [name, textListParam()])) as Params<Negatable>
const negated = Object.fromEntries(
  negatable.map((name) => [`not_${name}`, textListParam()]),
) as Params<`not_${Negatable}`>

const filters = {
  q: textParam(),
  content: textParam(),
  ...values,
  ...negated,
  status: manyOf(runStatuses),
  not_status: manyOf(runStatuses),
  env: manyOf(environments),
  not_env: manyOf(environments),
  min_latency_ms: numberParam(),
  max_latency_ms: numberParam(),
  min_ttft_ms: numberParam(),
  max_ttft_ms: numberParam(),
  min_cost_usd: numberParam(),
  max_cost_usd: numberParam(),
  min_total_tokens: numberParam(),
  max_total_tokens: numberParam(),
  has: manyOf(optionalRunFields),
  has_no: manyOf(optionalRunFields),
  metadata: textListParam(),
}

export const runsSearch = z.object({
  ...listSearch,
  ...periodSearch,
  workspace: textParam(),
  view: textParam(),
  sort: oneOf(runSorts as [(typeof runSorts)[number], ...(typeof runSorts)[number][]]),
  ...filters,
})
export type RunsSearch = z.output<typeof runsSearch>

/** Clears every filter and the free text. */
export const noFilters: SearchPatch<RunsSearch> = Object.fromEntries(
  Object.keys(filters).map((name) => [name, undefined]),
)
