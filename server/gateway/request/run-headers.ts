import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { gatewayHeaders } from '../../../contract/gateway/gateway.ts'
import { RunReport, TraceId } from '../../../contract/runs/run.ts'
import { fail } from '../../lib/fail.ts'

/** The fields of a run that the headers of a request set. */
export type RunHeaders = {
  readonly provider: string | null
  readonly workspace: string | null
  readonly refKey: string | null
  readonly version: string | null
  readonly env: RunReport['env'] | null
  readonly sessionId: string | null
  readonly tags: string[] | null
  readonly traceId: string | null
}

const { shape } = RunReport
const VersionName = z.string().regex(/^v[1-9]\d{0,8}$/, 'Expected a version such as v3')

/** Returns the value of a header; null if it is absent or empty. UTF-8 may be percent-encoded. */
function headerValue(headers: IncomingHttpHeaders, name: string): string | null {
  const given = headers[name.toLowerCase()]
  if (typeof given !== 'string' || given.trim() === '') return null
  try {
    return decodeURIComponent(given.trim())
  } catch {
    return given.trim()
  }
}

/** Returns a checked value; null if it is absent, which every field accepts. */
function checked<T extends z.ZodType>(
  schema: T,
  value: unknown,
  name: string,
): NonNullable<z.output<T>> | null {
  if (value === null) return null
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data ?? null
  throw fail('request.malformed', { detail: `${name}: ${parsed.error.issues[0]?.message ?? 'not valid'}.` })
}

/** Parses the headers of the gateway and the trace. Throws 400 that names the header. */
export function runHeadersOf(headers: IncomingHttpHeaders): RunHeaders {
  const read = (name: keyof typeof gatewayHeaders) => headerValue(headers, gatewayHeaders[name])
  const prompt = read('prompt')
  const at = prompt?.lastIndexOf('@') ?? -1
  const [refKey, version] =
    prompt === null || at < 1 ? [prompt, null] : [prompt.slice(0, at), prompt.slice(at + 1)]
  const tags = read('tags')
    ?.split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  return {
    provider: read('provider'),
    workspace: checked(shape.workspace_id, read('workspace'), gatewayHeaders.workspace),
    refKey: checked(shape.ref_key, refKey, gatewayHeaders.prompt),
    version: checked(VersionName, version, gatewayHeaders.prompt),
    env: checked(shape.env, read('env'), gatewayHeaders.env),
    sessionId: checked(shape.session_id, read('session'), gatewayHeaders.session),
    tags: checked(shape.tags, tags ?? null, gatewayHeaders.tags),
    traceId: traceIdOf(headers['traceparent']),
  }
}

/** Returns the trace id of W3C Trace Context. An invalid header counts as absent, as that specification requires. */
function traceIdOf(header: unknown): string | null {
  const id =
    typeof header === 'string' ? /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(header)?.[1] : undefined
  return id === undefined ? null : (TraceId.safeParse(id).data ?? null)
}
