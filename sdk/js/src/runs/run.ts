import { invalid, messageOf } from '../core/errors.ts'
import type { Settings } from '../core/options.ts'
import type { Run } from '../core/types.ts'
import { toJson } from '../lib/json.ts'
import { uuid } from '../lib/uuid.ts'

/** A run to send. Later changes by the app have no effect. */
export type EncodedRun = {
  readonly id: string
  readonly json: string
  /** Sent with the run; null if the app gave a time, or if the service rejected this one. */
  createdAt: string | null
}
export type RunSettings = Pick<Settings, 'appName' | 'namespace' | 'workspace'>

/** Returns the run to send. @throws PromptdeckError `Invalid` for a run that the service would reject. */
export function encodeRun(run: Run, settings: RunSettings): EncodedRun {
  const id = checkRun(run).client_run_id || uuid()
  const given = withoutNulls(run)
  const json = encode({ ...defaultsOf(settings), ...given, client_run_id: id })
  return {
    id,
    json,
    createdAt: given.created_at === undefined ? startOf(run.latency_ms).toISOString() : null,
  }
}

/** Maximum latency that the service accepts, in milliseconds. */
const maxLatencyMs = 86_400_000

/** Returns the start of a call that has just ended; now, if the service will reject its latency. */
function startOf(latencyMs: unknown): Date {
  const isValid = typeof latencyMs === 'number' && latencyMs >= 0 && latencyMs <= maxLatencyMs
  return new Date(Date.now() - (isValid ? latencyMs : 0))
}

/** Returns the JSON to send. */
export const bodyOf = ({ json, createdAt }: EncodedRun): string =>
  createdAt === null ? json : `${json.slice(0, -1)},"created_at":"${createdAt}"}`

/** The environments of the service. A client that watches another one reports runs without. */
const environments: ReadonlySet<string> = new Set(['dev', 'test', 'prod'])

/** Returns the fields of a run that the client knows. */
const defaultsOf = ({ appName, namespace, workspace }: RunSettings) => ({
  workspace_id: workspace,
  app: appName,
  ...(environments.has(namespace) && { env: namespace }),
})

/** A null member counts as absent. */
const withoutNulls = (run: Run): Partial<Run> =>
  Object.fromEntries(Object.entries(run).filter(([, value]) => value !== null && value !== undefined))

function encode(run: object): string {
  try {
    return toJson(run) ?? ''
  } catch (error) {
    throw invalid(`The run cannot be converted to JSON: ${messageOf(error)}`)
  }
}

/** Checks required members; the service rejects wrong values. @throws PromptdeckError `Invalid` */
function checkRun(run: Run): Run {
  const fields: Readonly<Record<string, unknown>> = typeof run === 'object' && run !== null ? run : {}
  const missing = (['provider', 'model', 'latency_ms', 'status'] as const).filter(
    (name) => fields[name] === undefined || fields[name] === null || fields[name] === '',
  )
  if (missing.length > 0) throw invalid(`Required fields of the run are missing: ${missing.join(', ')}.`)
  const id = fields['client_run_id'] ?? ''
  if (typeof id !== 'string' || id.length > 128)
    throw invalid('client_run_id must be a string of at most 128 characters.')
  return run
}
