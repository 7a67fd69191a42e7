import { type CaptureMode, captureModes } from '../../../../contract/models/models.ts'
import type { RunReport } from '../../../../contract/runs/run.ts'
import type { CallRecord } from '../../../calls/intents/record.ts'
import { withoutValuesIn } from '../../../calls/result/redact.ts'
import type { Query } from '../../../db/types.ts'
import { findWorkspace } from '../../../resources/workspaces.read.ts'
import type { PayloadPlace, Payloads } from './payload-files.ts'
import type { Payload } from './payload-line.ts'
import { redact, redactText } from './redact.ts'

type Report = RunReport | CallRecord

/** Returns the capture mode of a workspace; null if it has none of its own, or does not exist. */
async function ownMode(q: Query, idOrSlug: string): Promise<CaptureMode | null> {
  return (await findWorkspace(q, idOrSlug))?.capture ?? null
}

const least = (a: CaptureMode, b: CaptureMode): CaptureMode =>
  captureModes.indexOf(a) < captureModes.indexOf(b) ? a : b

/** Returns the capture mode for a workspace, lowered to `asked` if that is less. */
export async function captureMode(
  q: Query,
  workspace: string,
  setting: CaptureMode,
  asked: CaptureMode | null,
): Promise<CaptureMode> {
  const known = (await ownMode(q, workspace)) ?? setting
  return asked === null ? known : least(known, asked)
}

function withoutOwnValues({ variables, input = null, output = null }: Report): Payload {
  if (!variables || Array.isArray(variables)) return { input, output }
  const without = withoutValuesIn(variables)
  const text = without(output)
  return { input: without(input), output: typeof text === 'string' ? text : null }
}

const hasPayload = ({ input, output }: Report): boolean => (input ?? output ?? null) !== null

/**
 * Removes the values of variables, then known patterns of secrets. An app may send the values with their
 * names.
 */
function payloadOf(report: Report, mode: 'redacted' | 'full'): Payload {
  const { input = null, output = null } = report
  if (mode === 'full') return { input, output }
  const bare = 'redacted' in report && report.redacted !== null ? report.redacted : withoutOwnValues(report)
  return { input: redact(bare.input), output: bare.output === null ? null : redactText(bare.output) }
}

/** The reserved id of a run, and the location of its payload. */
export type CapturedRun = { readonly id: number; readonly place: PayloadPlace }
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
  const places = new Map<Report, CapturedRun>()
  const modes = new Map<string, CaptureMode>()
  const taken: { report: Report; payload: Payload }[] = []
  for (const report of reports) {
    if (!hasPayload(report)) continue
    const workspace = report.workspace_id ?? 'default'
    const known = modes.get(workspace) ?? (await ownMode(deps.q, workspace)) ?? deps.setting
    modes.set(workspace, known)
    const asked = 'capture' in report ? report.capture : null
    const mode = asked === null ? known : least(known, asked)
    if (mode !== 'off') taken.push({ report, payload: payloadOf(report, mode) })
  }
  if (taken.length === 0) return places
  const first = await deps.reserveIds(reports.length)
  const ids = new Map(reports.map((report, index) => [report, first + index]))
  const owned = taken.map(({ report, payload }) => ({ owner: runOwner(ids.get(report) ?? 0), ...payload }))
  const found = await deps.payloads.append(deps.now, owned)
  taken.forEach(({ report }, index) => {
    const place = found[index]
    if (place !== null && place !== undefined) places.set(report, { id: ids.get(report) ?? 0, place })
  })
  return places
}
