import { type CaptureMode, captureModes } from '../../../contract/models.ts'
import type { RunReport } from '../../../contract/run.ts'
import type { CallRecord } from '../../calls/record.ts'
import { hot } from '../../db/hot.ts'
import type { Query } from '../../db/types.ts'
import type { Payload, PayloadPlace, Payloads } from './payloads.ts'
import { redact, redactText } from './redact.ts'

type Report = RunReport | CallRecord

type Setting = { capture: CaptureMode | null }
const ofSlug = hot<{ slug: string }, Setting>((q, p) =>
  q.selectFrom('workspaces').select('capture').where('slug', '=', p('slug')),
)
const ofId = hot<{ id: string }, Setting>((q, p) =>
  q.selectFrom('workspaces').select('capture').where('id', '=', p('id')),
)

/** What a workspace says itself; null when it says nothing, or is not there. */
async function ownMode(q: Query, idOrSlug: string): Promise<CaptureMode | null> {
  const [row] = await ofId(q, { id: idOrSlug })
  if (row !== undefined) return row.capture
  const [bySlug] = await ofSlug(q, { slug: idOrSlug })
  return bySlug?.capture ?? null
}

const least = (a: CaptureMode, b: CaptureMode): CaptureMode =>
  captureModes.indexOf(a) < captureModes.indexOf(b) ? a : b

/** What may be kept for a workspace, or less when less is asked. */
export async function captureMode(
  q: Query,
  workspace: string,
  setting: CaptureMode,
  asked: CaptureMode | null,
): Promise<CaptureMode> {
  const known = (await ownMode(q, workspace)) ?? setting
  return asked === null ? known : least(known, asked)
}

const hasPayload = ({ input, output }: Report): boolean => (input ?? output ?? null) !== null

/** What is kept of one run: known patterns of secrets are taken out after the values of variables. */
function payloadOf(report: Report, mode: 'redacted' | 'full'): Payload {
  const { input = null, output = null } = report
  if (mode === 'full') return { input, output }
  const bare = 'redacted' in report && report.redacted !== null ? report.redacted : { input, output }
  return { input: redact(bare.input), output: bare.output === null ? null : redactText(bare.output) }
}

/**
 * Appends input and output of those runs whose workspace (else the setting) keeps them, and tells where they stand.
 * Before the rows are written, so that a row never points at something that is not there.
 */
export async function capture(
  deps: { readonly q: Query; readonly payloads: Payloads; readonly setting: CaptureMode; readonly now: Date },
  reports: readonly Report[],
): Promise<ReadonlyMap<Report, PayloadPlace>> {
  const places = new Map<Report, PayloadPlace>()
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
  const found = await deps.payloads.append(
    deps.now,
    taken.map(({ payload }) => payload),
  )
  taken.forEach(({ report }, index) => {
    const place = found[index]
    if (place !== null && place !== undefined) places.set(report, place)
  })
  return places
}
