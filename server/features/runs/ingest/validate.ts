import type { FieldError } from '../../../../contract/common/problem.ts'
import { maxParamsBytes, type RunReport } from '../../../../contract/runs/run.ts'
import { fail, type Problem } from '../../../lib/fail.ts'
import { isTooLarge, metadataTooLarge } from '../../../resources/run-context.ts'
import { refusalOfTime } from '../../../retention/stored-period.ts'
import type { RunSettings } from '../store/settings.ts'

/** Returns the path of a finding: `3.created_at` for an item of a batch, `created_at` alone. */
export const pathOf = (index: number | null, field: string): string =>
  index === null ? field : `${index}.${field}`

/** Returns the findings for one report that the schema cannot express. */
export function findingsOf(
  report: RunReport,
  index: number | null,
  now: number,
  settings: RunSettings,
): FieldError[] {
  const findings: FieldError[] = []
  const add = (field: string, message: string) => findings.push({ path: pathOf(index, field), message })
  const { created_at: created, params } = report
  if (typeof created === 'string') {
    const refusal = refusalOfTime(Date.parse(created), now, settings.runRetentionDays)
    if (refusal !== null) add('created_at', refusal)
  }
  if (params && Buffer.byteLength(JSON.stringify(params)) > maxParamsBytes)
    add('params', 'Larger than 16 KiB as JSON')
  if (isTooLarge(report.metadata)) add('metadata', metadataTooLarge)
  return findings
}

/** Returns the 422 for these findings; null if there are none. */
export function problemOf(findings: readonly FieldError[]): Problem | null {
  const [first] = findings
  if (first === undefined) return null
  return fail('request.invalid', { detail: `${first.path}: ${first.message}`, errors: findings })
}
