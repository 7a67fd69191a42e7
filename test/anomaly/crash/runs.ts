import type { ApiClient } from '../../../contract/client.ts'
import type { Run } from '../../../contract/runs/run.ts'

export type KnownRun = Pick<Run, 'id' | 'model' | 'ref_key' | 'latency_ms'>

/** Runs in each batch; a batch is stored as a whole or not at all. */
export const batchSize = 25

export const toKnown = ({ id, model, ref_key, latency_ms }: Run): KnownRun => ({
  id,
  model,
  ref_key,
  latency_ms,
})

/** Returns all runs in the log, by id. */
async function readRuns(api: ApiClient): Promise<Map<number, KnownRun>> {
  const found = new Map<number, KnownRun>()
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<ApiClient['runs']['list']>> = await api.runs.list({
      query: { limit: 200, cursor },
    })
    for (const run of page.data) found.set(run.id, toKnown(run))
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
}

/** Returns acknowledged runs that are missing or differ, and partially stored batches. */
export async function checkRuns(
  api: ApiClient,
  acknowledged: ReadonlyMap<number, KnownRun>,
): Promise<string[]> {
  const stored = await readRuns(api)
  const violations: string[] = []
  for (const [id, run] of acknowledged) {
    const actual = stored.get(id)
    if (JSON.stringify(actual) !== JSON.stringify(run))
      violations.push(`run ${id}: ${JSON.stringify(actual)} instead of ${JSON.stringify(run)}`)
  }
  const batches = new Map<string, number>()
  for (const { model } of stored.values())
    if (model.startsWith('batch-')) batches.set(model, (batches.get(model) ?? 0) + 1)
  for (const [model, count] of batches)
    if (count !== batchSize) violations.push(`${model} has ${count} of ${batchSize} runs`)
  const { data: stats } = await api.runs.stats({})
  if (stats.total !== stored.size)
    violations.push(`statistics count ${stats.total} runs, the log has ${stored.size}`)
  return violations
}
