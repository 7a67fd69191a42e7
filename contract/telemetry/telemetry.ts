import { z } from 'zod'
import { type Endpoint, endpoint } from '../common/endpoint.ts'

/** The content types of OTLP/HTTP, for requests and replies. */
export const otlpMediaTypes = { protobuf: 'application/x-protobuf', json: 'application/json' } as const

/** Maximum size of a body as it is sent, and after decompression, in bytes. */
export const maxOtlpBytes = { sent: 4 * 1024 * 1024, decompressed: 16 * 1024 * 1024 } as const

/** Workspace of the runs in a request, for programs that do not name one in an attribute. */
export const workspaceHeader = 'Promptdeck-Workspace'

/** The path of the signal that is not received. */
export const otlpMetricsPath = '/v1/metrics'

const description = `Spans and log events that describe model calls become runs; all others are accepted and ignored. The body is the message of the OpenTelemetry protocol, compressed with gzip or not, at most ${maxOtlpBytes.sent / 1024 ** 2} MiB as sent and ${maxOtlpBytes.decompressed / 1024 ** 2} MiB decompressed. Errors are \`google.rpc.Status\` in the encoding of the request; 429 and 503 may be retried.`

const partialSuccess = (count: 'rejectedSpans' | 'rejectedLogRecords') =>
  z
    .object({
      [count]: z.string().optional().meta({ description: 'Number of rejected records, as text' }),
      errorMessage: z.string().optional(),
    })
    .optional()
    .meta({ description: 'Only present if something was rejected, or as a warning' })
const tag = 'Telemetry'

/** The endpoints of OTLP/HTTP. They are not under /api, and use the encodings of the protocol. */
export const telemetry = {
  traces: endpoint({
    tag,
    method: 'POST',
    path: '/v1/traces',
    workspaces: 'input',
    summary: 'Receive spans (OTLP/HTTP)',
    description,
    permission: 'runs.report',
    forApps: true,
    body: z.object({ resourceSpans: z.array(z.looseObject({})).optional() }),
    reply: z.object({ partialSuccess: partialSuccess('rejectedSpans') }),
    example: { body: { resourceSpans: [] }, reply: {} },
  }),
  logs: endpoint({
    tag,
    method: 'POST',
    path: '/v1/logs',
    workspaces: 'input',
    summary: 'Receive log events (OTLP/HTTP)',
    description,
    permission: 'runs.report',
    forApps: true,
    body: z.object({ resourceLogs: z.array(z.looseObject({})).optional() }),
    reply: z.object({ partialSuccess: partialSuccess('rejectedLogRecords') }),
    example: { body: { resourceLogs: [] }, reply: {} },
  }),
}
export const telemetryEndpoints = Object.values(telemetry) as unknown as readonly Endpoint[]
