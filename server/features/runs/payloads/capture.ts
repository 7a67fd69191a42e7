import { type CaptureMode, captureModes } from '../../../../contract/models/models.ts'
import type { RunReport } from '../../../../contract/runs/run.ts'
import type { CallRecord } from '../../../calls/intents/record.ts'
import { withoutValuesIn } from '../../../calls/result/redact.ts'
import type { Query } from '../../../db/types.ts'
import { findWorkspace } from '../../../resources/workspaces.read.ts'
import type { PayloadLocation, Payloads } from './payload-files.ts'
import type { Payload } from './payload-line.ts'
import { redact, redactText } from './redact.ts'

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

function withoutVariableValues({ variables, input = null, output = null }: Report): Payload {
  if (!variables || Array.isArray(variables)) return { input, output }
  const removeValues = withoutValuesIn(variables)
  const text = removeValues(output)
  return { input: removeValues(input), output: typeof text === 'string' ? text : null }
}

const hasPayload = ({ input, output }: Report): boolean => (input ?? output ?? null) !== null

/**
 * Removes the values of variables, then known patterns of secrets. An app may send the values with their
 * names.
 */
function payloadOf(report: Report, mode: 'redacted' | 'full'): Payload {
  const { input = null, output = null } = report
  if (mode === 'full') return { input, output }
  const payload =
    'redacted' in report && report.redacted !== null ? report.redacted : withoutVariableValues(report)
  return { input: redact(payload.input), output: payload.output === null ? null : redactText(payload.output) }
}

/** The reserved id of a run, and the location of its payload. */
export type CapturedRun = { readonly id: number; readonly location: PayloadLocation }
export type CapturedRuns = ReadonlyMap<Report, CapturedRun>

/** Returns the owner of a run's payload line. */
export const runOwner = (id: number): string => `run:${id}`

/**
 * Appends input and output of the runs that are captured, and returns their locations. Call before the rows
 * are written, so that a row never points to a missing payload.
 */
export async function capture(
  deps: {
    readonly q: Query
    readonly payloads: Payloads
    readonly setting: CaptureMode
    readonly now: Date
    /** Reserves ids of runs; returns the first. */
    readonly reserveIds: (count: number) => Promise<number>
  },
  reports: readonly Report[],
): Promise<CapturedRuns> {
  const locations = new Map<Report, CapturedRun>()
  const modes = new Map<string, CaptureMode>()
  const captured: { report: Report; payload: Payload }[] = []
  for (const report of reports) {
    if (!hasPayload(report)) continue
    const workspace = report.workspace_id ?? 'default'
    const maxMode = modes.get(workspace) ?? (await workspaceMode(deps.q, workspace)) ?? deps.setting
    modes.set(workspace, maxMode)
    const requested = 'capture' in report ? report.capture : null
    const mode = requested === null ? maxMode : lower(maxMode, requested)
    if (mode !== 'off') captured.push({ report, payload: payloadOf(report, mode) })
  }
  if (captured.length === 0) return locations
  const first = await deps.reserveIds(reports.length)
  const ids = new Map(reports.map((report, index) => [report, first + index]))
  const idOf = (report: Report): number => ids.get(report) ?? 0
  const payloads = captured.map(({ report, payload }) => ({ owner: runOwner(idOf(report)), ...payload }))
  const stored = await deps.payloads.append(deps.now, payloads)
  captured.forEach(({ report }, index) => {
    const location = stored[index]
    if (location !== null && location !== undefined) locations.set(report, { id: idOf(report), location })
  })
  return locations
}
