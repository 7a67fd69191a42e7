import { type CaptureMode, captureModes } from '../../../../contract/models/models.ts'
import type { RunReport } from '../../../../contract/runs/run.ts'
import type { ContentState } from '../../../../contract/runs/run-content.ts'
import type { CallRecord } from '../../../calls/intents/record.ts'
import { withoutValues, withoutValuesIn } from '../../../calls/result/redact.ts'
import type { Query } from '../../../db/types.ts'
import { findWorkspace } from '../../../resources/workspaces.read.ts'
import type { PayloadHold, Payloads } from './payload-files.ts'
import type { PayloadLocation } from './payload-limits.ts'
import type { Payload } from './payload-line.ts'
import { withoutQuotes } from './quotes.ts'
import { redact, redactText } from './redact.ts'
import type { PreparedPayload } from './stored/stage.ts'

type Report = RunReport | CallRecord

/** Returns the capture mode of a workspace; null if it has none of its own, or does not exist. */
async function workspaceMode(q: Query, idOrSlug: string): Promise<CaptureMode | null> {
  return (await findWorkspace(q, idOrSlug))?.capture ?? null
}

const lower = (a: CaptureMode, b: CaptureMode): CaptureMode =>
  captureModes.indexOf(a) < captureModes.indexOf(b) ? a : b

/** Returns the capture mode for a workspace, lowered to `requested` if that is less. */
export async function captureMode(
  q: Query,
  workspace: string,
  setting: CaptureMode,
  requested: CaptureMode | null,
): Promise<CaptureMode> {
  const mode = (await workspaceMode(q, workspace)) ?? setting
  return requested === null ? mode : lower(mode, requested)
}

/** Returns a payload without the values of variables. An app may report only the names of variables. */
function withoutVariableValues({ variables, input = null, output = null }: Report): Payload {
  if (!variables || Array.isArray(variables)) return { input, output }
  const removeValues = withoutValuesIn(variables)
  const text = removeValues(output)
  return { input: removeValues(input), output: typeof text === 'string' ? text : null }
}

/**
 * Returns the run with quotes of the input removed from its error, unless the mode is `full`. `redacted` also removes
 * values of variables and known patterns of secrets. `mode`: undefined for a report without input and output.
 */
export function withoutQuotedInput<R extends { readonly error: string | null }>(
  run: R,
  { input, variables }: Report,
  mode: CaptureMode | undefined,
): R {
  if (run.error === null || mode === undefined || mode === 'full') return run
  const error = withoutQuotes(run.error, input)
  if (mode === 'off') return { ...run, error }
  const hasValues = variables && !Array.isArray(variables)
  return { ...run, error: redactText(hasValues ? withoutValues(variables)(error) : error) }
}

const hasPayload = ({ input, output }: Report): boolean => (input ?? output ?? null) !== null

/** Returns the payload to store. `redacted` removes the values of variables, then known patterns of secrets. */
function payloadOf(report: Report, mode: 'redacted' | 'full'): Payload {
  const { input = null, output = null } = report
  if (mode === 'full') return { input, output }
  const payload =
    'redacted' in report && report.redacted !== null ? report.redacted : withoutVariableValues(report)
  return { input: redact(payload.input), output: payload.output === null ? null : redactText(payload.output) }
}

export type CapturedRun = { readonly id: number; readonly location: PayloadLocation }
/** The captured run, the payload to store with its row, or the reason why nothing is captured. */
export type Captured = CapturedRun | PreparedPayload | NotCaptured
export type CapturedRuns = {
  readonly results: ReadonlyMap<Report, Captured>
  /** The capture modes of the reports that have an input or output. */
  readonly modes: ReadonlyMap<Report, CaptureMode>
}
/** The reasons for which the payload of a new run is not stored. */
export type NotCaptured = Exclude<ContentState, 'captured' | 'removed' | 'damaged' | 'unknown'>

/** Returns the owner of a run's payload line. */
export const runOwner = (id: number): string => `run:${id}`

type CaptureDeps = {
  readonly q: Query
  readonly payloads: Payloads
  readonly hold: PayloadHold
  readonly setting: CaptureMode
  readonly now: Date
  /** Reserves ids of runs; returns the first. */
  readonly reserveIds: (count: number) => Promise<number>
}

/**
 * Appends input and output of the runs that are captured, and returns their locations; or prepares them for the
 * transaction of the rows. Call before the rows are written, so that a row never points to a missing payload.
 */
export async function capture(deps: CaptureDeps, reports: readonly Report[]): Promise<CapturedRuns> {
  const results = new Map<Report, Captured>()
  const modes = new Map<Report, CaptureMode>()
  const modeOf = createModeLookup(deps)
  const captured: { report: Report; payload: Payload }[] = []
  for (const report of reports) {
    const mode = hasPayload(report) ? await modeOf(report) : null
    if (mode !== null) modes.set(report, mode)
    if (mode === null) results.set(report, 'not_sent')
    else if (mode === 'off') results.set(report, 'off')
    else captured.push({ report, payload: payloadOf(report, mode) })
  }
  if (captured.length > 0) await store(deps, reports, captured, results)
  return { results, modes }
}

/** Stores payloads, or prepares them, and adds the results of their reports. */
async function store(
  deps: CaptureDeps,
  reports: readonly Report[],
  captured: readonly { readonly report: Report; readonly payload: Payload }[],
  results: Map<Report, Captured>,
): Promise<void> {
  const { staged } = deps.payloads
  if (staged !== null) {
    const prepared = await staged.prepare(
      deps.now,
      captured.map(({ payload }) => payload),
    )
    for (const [index, { report }] of captured.entries()) results.set(report, prepared[index] ?? 'failed')
    return
  }
  const first = await deps.reserveIds(reports.length)
  const ids = new Map(reports.map((report, index) => [report, first + index]))
  const idOf = (report: Report): number => ids.get(report) ?? 0
  const payloads = captured.map(({ report, payload }) => ({ owner: runOwner(idOf(report)), ...payload }))
  const stored = await deps.payloads.appendHeld(deps.now, payloads, deps.hold)
  captured.forEach(({ report }, index) => {
    const location = stored[index] ?? 'failed'
    results.set(report, typeof location === 'string' ? location : { id: idOf(report), location })
  })
}

/** Returns a lookup of the mode of a report, which reads each workspace once. */
function createModeLookup({ q, setting }: CaptureDeps) {
  const modes = new Map<string, CaptureMode>()
  return async (report: Report): Promise<CaptureMode> => {
    const workspace = report.workspace_id ?? 'default'
    const maxMode = modes.get(workspace) ?? (await workspaceMode(q, workspace)) ?? setting
    modes.set(workspace, maxMode)
    const requested = 'capture' in report ? report.capture : null
    return requested === null ? maxMode : lower(maxMode, requested)
  }
}
