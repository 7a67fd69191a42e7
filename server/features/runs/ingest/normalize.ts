import type { RunReport } from '../../../../contract/runs/run.ts'
import type { NamedRun } from '../../../db/schema/run-columns.ts'
import { sumOfTokens } from '../../../models/model.ts'
import { fieldOf, type ReportColumn, recordOf, reportColumns } from '../store/columns.ts'
import { fromReport, type ReportedColumns } from '../store/forms.ts'
import type { RunSettings } from '../store/settings.ts'
import { pricerOf } from './prices.ts'

/** The columns that a report sets, with names still as text. */
export type NormalizedRun = Pick<NamedRun, ReportColumn>

/**
 * Normalizes a report: defaults, units, cost and storable text. `defaultTime`: the time of a report without
 * one, in epoch milliseconds.
 */
export function normalize(
  report: RunReport,
  defaultTime: number,
  workspace: string,
  settings: RunSettings,
  hashEndUser: (endUser: string) => string,
): NormalizedRun {
  const fields: Readonly<Record<string, unknown>> = report
  const reported = recordOf<ReportedColumns>(reportColumns, (name) => fromReport(name, fields[fieldOf(name)]))
  const { provider, model, prompt_tokens: promptTokens, output_tokens: outputTokens } = reported
  const createdAt = reported.created_at ?? defaultTime
  return {
    ...reported,
    created_at: createdAt,
    source: reported.source ?? 'sdk',
    end_user:
      reported.end_user !== null && report.hash_end_user === true
        ? hashEndUser(reported.end_user)
        : reported.end_user,
    tags: reported.tags === '' ? null : reported.tags,
    workspace,
    error: reported.error === '' ? null : reported.error,
    total_tokens: reported.total_tokens ?? sumOfTokens(promptTokens, outputTokens),
    tokens_estimated: reported.tokens_estimated ?? 0,
    cost_nano:
      reported.cost_nano ??
      pricerOf(settings.prices)({ provider, model, promptTokens, outputTokens, createdAt }),
  }
}
