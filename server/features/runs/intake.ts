import type { CaptureMode } from '../../../contract/models.ts'
import type { FieldError } from '../../../contract/problem.ts'
import type { RunReport } from '../../../contract/run.ts'
import type { Price } from '../../../contract/settings.ts'
import { fail, type Problem } from '../../lib/fail.ts'
import { dayMs } from './calendar.ts'
import { pricerOf } from './prices.ts'

/** The settings that apply to runs; read for every write. */
export type RunSettings = {
  readonly runRetentionDays: number
  readonly capture: CaptureMode
  readonly payloadRetentionDays: number
  readonly payloadMaxMb: number
  readonly prices: readonly Price[]
}

/** A validated and normalized run, with names still as text. */
export type Draft = {
  readonly createdAt: number
  readonly source: string
  readonly provider: string
  readonly model: string
  readonly workspace: string
  readonly refKey: string | null
  readonly version: string | null
  readonly status: 0 | 1
  readonly error: string | null
  readonly errorType: string | null
  readonly parentId: string | null
  readonly promptTokens: number | null
  readonly outputTokens: number | null
  readonly totalTokens: number | null
  readonly cachedTokens: number | null
  readonly reasoningTokens: number | null
  readonly tokensEstimated: boolean
  readonly latencyUs: number
  readonly ttftUs: number | null
  readonly costNano: number | null
  readonly finishReason: string | null
  readonly clientRunId: string | null
  readonly params: string | null
  /** Sorted names separated by commas; null if the report has none. */
  readonly variables: string | null
  readonly input: unknown
  readonly output: string | null
}

/** Milliseconds that the clock of an app may be ahead. */
const mostAheadMs = 5 * 60_000
const mostParamsBytes = 16_384

/** Replaces NUL and unpaired surrogates, which SQLite cannot store; all other text is unchanged. */
const storable = (text: string): string =>
  (text as string & { toWellFormed(): string }).toWellFormed().replaceAll('\u0000', '\uFFFD')
const optional = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : storable(text)
const micros = (milliseconds: number): number => Math.round(milliseconds * 1000)

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
  const { created_at: created, params } = report
  if (created !== null && created !== undefined) {
    const at = Date.parse(created)
    if (!(at <= now + mostAheadMs)) {
      findings.push({ path: pathOf(index, 'created_at'), message: 'More than 5 minutes in the future' })
    } else if (at < now - settings.runRetentionDays * dayMs) {
      const message = `Older than runs are kept (${settings.runRetentionDays} days)`
      findings.push({ path: pathOf(index, 'created_at'), message })
    }
  }
  if (
    params !== null &&
    params !== undefined &&
    Buffer.byteLength(JSON.stringify(params)) > mostParamsBytes
  ) {
    findings.push({ path: pathOf(index, 'params'), message: 'Larger than 16 KiB as JSON' })
  }
  return findings
}

/** Returns the 422 for these findings; null if there are none. */
export function problemOf(findings: readonly FieldError[]): Problem | null {
  const [first] = findings
  if (first === undefined) return null
  return fail('request.invalid', { detail: `${first.path}: ${first.message}`, errors: findings })
}

/** Throws the 422 for these findings, if there are any. */
export function refuse(findings: readonly FieldError[]): void {
  const problem = problemOf(findings)
  if (problem !== null) throw problem
}

const namesOf = (variables: NonNullable<RunReport['variables']>): string[] =>
  [...new Set(Array.isArray(variables) ? variables : Object.keys(variables))].sort()

/** Normalizes a report: defaults, units, cost and storable text. `at`: the time of a report without one. */
export function draftOf(report: RunReport, at: number, workspace: string, settings: RunSettings): Draft {
  const promptTokens = report.prompt_tokens ?? null
  const outputTokens = report.output_tokens ?? null
  const sum =
    promptTokens === null && outputTokens === null ? null : (promptTokens ?? 0) + (outputTokens ?? 0)
  const createdAt = typeof report.created_at === 'string' ? Date.parse(report.created_at) : at
  const provider = storable(report.provider)
  const model = storable(report.model)
  const given = report.cost_usd ?? null
  const costNano =
    given === null
      ? pricerOf(settings.prices)({ provider, model, promptTokens, outputTokens, createdAt })
      : Math.round(given * 1e9)
  return {
    createdAt,
    source: report.source ?? 'sdk',
    provider,
    model,
    workspace,
    refKey: optional(report.ref_key),
    version: optional(report.version),
    status: report.status === 'ok' ? 0 : 1,
    error: report.error === '' ? null : optional(report.error),
    errorType: report.error_type ?? null,
    parentId: optional(report.parent_id),
    promptTokens,
    outputTokens,
    totalTokens: report.total_tokens ?? sum,
    cachedTokens: report.cached_tokens ?? null,
    reasoningTokens: report.reasoning_tokens ?? null,
    tokensEstimated: report.tokens_estimated ?? false,
    latencyUs: micros(report.latency_ms),
    ttftUs: typeof report.ttft_ms === 'number' ? micros(report.ttft_ms) : null,
    costNano,
    finishReason: optional(report.finish_reason),
    clientRunId: optional(report.client_run_id),
    params: report.params === null || report.params === undefined ? null : JSON.stringify(report.params),
    variables: report.variables ? namesOf(report.variables).join(',') : null,
    input: report.input ?? null,
    output: report.output ?? null,
  }
}
