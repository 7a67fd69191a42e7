import { hourMs } from '../../../server/lib/durations.ts'

export type GrowthQuery = {
  readonly name: string
  readonly path: string
  /** Returns the path of the n-th request. The paths of a round are unique; each round has the same paths. */
  readonly distinct: (path: string, n: number) => string
  /** Goal at 1 M runs, in milliseconds. */
  readonly goal: number
}

const singles = [
  'source=sdk',
  'provider=openai',
  'model=gpt-4o',
  'status=error',
  'workspace=sales',
  'ref_key=support/triage',
  'version=v2',
  'env=prod',
  'user=edda',
  'app=helpdesk',
  'tag=beta',
  'not_provider=openai',
  'min_latency_ms=5000',
  'max_latency_ms=200',
  'min_ttft_ms=1000',
  'min_cost_usd=0.01',
  'min_total_tokens=3000',
  'has=error',
  'has_no=cost_usd',
]
const pairs = [
  'status=error&provider=openai',
  'status=error&model=gpt-4o',
  'status=error&ref_key=support/triage',
  'status=error&app=helpdesk',
  'provider=openai&source=sdk',
  'model=gpt-4o&ref_key=support/triage',
  'ref_key=support/triage&env=prod',
  'workspace=sales&status=error',
  'app=helpdesk&env=prod',
  'min_latency_ms=5000&provider=openai',
]

/** From 40 to 59 rows: the average of all requests is a page of 50. */
const otherLimit = (path: string, n: number): string => `${path}&limit=${40 + n}`
const list = (filter: string, goal: number): GrowthQuery => ({
  name: filter,
  path: `/api/runs?${filter}`,
  distinct: otherLimit,
  goal,
})
const statistics = (name: string, hours: number, goal: number): GrowthQuery => {
  const from = Date.now() - hours * hourMs
  return {
    name: `statistics of ${name}`,
    path: '/api/runs/stats?from=',
    distinct: (path, n) => path + new Date(from - n).toISOString(),
    goal,
  }
}

export const queries: readonly GrowthQuery[] = [
  ...singles.map((filter) => list(filter, 10)),
  ...pairs.map((filter) => list(filter, 25)),
  list('q=triage', 10),
  list('q=house overloaded', 10),
  statistics('a day', 24, 5),
  statistics('7 days', 168, 5),
  statistics('a year', 365 * 24, 8),
]
