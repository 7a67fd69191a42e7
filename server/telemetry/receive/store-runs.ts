import type { RunReport } from '../../../contract/runs/run.ts'
import type { Context } from '../../lib/context.ts'
import { Problem } from '../../lib/fail.ts'

/** Stores reports, all or none of them, as `POST /api/runs` does. */
export type ReportRuns = (ctx: Context, reports: RunReport[]) => Promise<unknown>

export type Rejection = { readonly reason: string }

/** Number of reports in one submission. */
const batchSize = 500
/** Maximum number of attempts. Each omits the reports for which the one before was rejected. */
const maxAttempts = 4

/**
 * Stores reports and returns the rejected ones. A report that is not valid does not prevent the others from being
 * stored. Resolves when they are on disk. Throws errors that may not occur in a later attempt, such as a full disk.
 */
export async function storeRuns(
  ctx: Context,
  report: ReportRuns,
  reports: readonly RunReport[],
): Promise<Rejection[]> {
  const rejections: Rejection[] = []
  for (const group of groupByPlace(reports)) {
    for (let from = 0; from < group.length; from += batchSize)
      rejections.push(...(await storeBatch(ctx, report, group.slice(from, from + batchSize))))
  }
  return rejections
}

/** Groups reports by place, so that those a token may not report do not cause the rejection of the others. */
function groupByPlace(reports: readonly RunReport[]): RunReport[][] {
  const groups = new Map<string, RunReport[]>()
  for (const report of reports) {
    const place = JSON.stringify([report.workspace_id, report.env])
    const group = groups.get(place) ?? []
    groups.set(place, group)
    group.push(report)
  }
  return [...groups.values()]
}

async function storeBatch(
  ctx: Context,
  report: ReportRuns,
  batch: readonly RunReport[],
): Promise<Rejection[]> {
  const rejections: Rejection[] = []
  let rest = [...batch]
  for (let attempt = 1; rest.length > 0; attempt += 1) {
    try {
      await report(ctx, rest)
      break
    } catch (error) {
      const refused = refusedIndexes(error, attempt < maxAttempts)
      rejections.push(...rest.flatMap((_, index) => refused(index) ?? []))
      rest = rest.filter((_, index) => refused(index) === null)
    }
  }
  return rejections
}

/**
 * Returns a function that returns the rejection of the report at an index, or null if that report did not cause the
 * error. Throws the error if no report caused it.
 */
function refusedIndexes(error: unknown, mayRetry: boolean): (index: number) => Rejection | null {
  if (!(error instanceof Problem)) throw error
  const { code, message, extra } = error
  if (code === 'auth.forbidden') return () => ({ reason: message })
  if (code !== 'request.invalid') throw error
  const reasons = new Map(
    (extra.errors ?? []).map(({ path, message: reason }) => [
      Number.parseInt(path, 10),
      `${path.replace(/^\d+\./, '')}: ${reason}`,
    ]),
  )
  const isNamed = [...reasons.keys()].every((index) => index >= 0)
  if (!mayRetry || reasons.size === 0 || !isNamed) return () => ({ reason: message })
  return (index) => {
    const reason = reasons.get(index)
    return reason === undefined ? null : { reason }
  }
}
