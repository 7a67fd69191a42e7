import { gzipSync } from 'node:zlib'
import { loadCodec } from '../../../server/telemetry/protocol/codec.ts'
import type { MessageName } from '../../../server/telemetry/protocol/messages.ts'
import { serviceToken, type TestServer } from '../../support/service.ts'
import type { Request } from './fixtures/otlp.ts'

export type Signal = 'traces' | 'logs'
export type Encoding = 'json' | 'protobuf'

/** The messages that the endpoints receive. */
export const requestNames = { traces: 'ExportTraceServiceRequest', logs: 'ExportLogsServiceRequest' } as const
const types = { json: 'application/json', protobuf: 'application/x-protobuf' }
const ids: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId'])

/** Encodes a message in the JSON form as Protobuf, where ids are bytes. */
export async function encode(name: MessageName, message: object): Promise<Buffer> {
  const binary = JSON.parse(JSON.stringify(message), (key, value) =>
    ids.has(key) ? Buffer.from(String(value), 'hex') : value,
  )
  return (await loadCodec()).encode(name, binary)
}

export type Reply = {
  readonly status: number
  readonly type: string | null
  readonly headers: Headers
  readonly bytes: Buffer
  /** The JSON of a reply in JSON. */
  readonly body: ReturnType<typeof JSON.parse>
}

/** Sends bytes to an endpoint of telemetry. */
export async function post(
  server: TestServer,
  signal: Signal | 'metrics',
  bytes: Buffer | string,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const response = await fetch(`${server.url}/v1/${signal}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${serviceToken}`, ...headers },
    body: typeof bytes === 'string' ? bytes : new Uint8Array(bytes),
  })
  const reply = Buffer.from(await response.arrayBuffer())
  const type = response.headers.get('content-type')
  const body = type === types.json ? JSON.parse(reply.toString('utf8')) : undefined
  return { status: response.status, type, headers: response.headers, bytes: reply, body }
}

/** Sends a message; the binary one compressed. */
export async function send(
  server: TestServer,
  signal: Signal,
  message: Request,
  { encoding = 'json' as Encoding, headers = {} as Readonly<Record<string, string>> } = {},
): Promise<Reply> {
  if (encoding === 'json')
    return post(server, signal, JSON.stringify(message), { 'content-type': types.json, ...headers })
  const bytes = await encode(requestNames[signal], message)
  return post(server, signal, gzipSync(bytes), {
    'content-type': types.protobuf,
    'content-encoding': 'gzip',
    ...headers,
  })
}

/** Returns the runs of a workspace with all details, oldest first. */
export async function runsIn(server: TestServer, workspace: string) {
  const { body } = await server.call(`GET /api/runs?workspace=${workspace}&sort=created_at&limit=200`)
  const runs = []
  for (const { id } of body.data) runs.push((await server.call(`GET /api/runs/${id}`)).body.data)
  return runs
}
