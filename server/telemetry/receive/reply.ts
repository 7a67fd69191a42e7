import type { Problem } from '../../lib/fail.ts'
import { loadCodec } from '../protocol/codec.ts'
import type { Encoding, Signal } from '../protocol/encoding.ts'
import type { MessageName } from '../protocol/messages.ts'
import type { Rejection } from './store-runs.ts'

/** Number of different reasons in a reply. */
const maxReasons = 5

const forms = {
  traces: { name: 'ExportTraceServiceResponse', count: 'rejectedSpans' },
  logs: { name: 'ExportLogsServiceResponse', count: 'rejectedLogRecords' },
} as const

/** Returns the body of a reply. `partialSuccess` is present only with rejections or warnings, as OTLP requires. */
export function replyOf(
  signal: Signal,
  encoding: Encoding,
  rejections: readonly Rejection[],
  warnings: readonly string[],
): Promise<Buffer> {
  const { name, count } = forms[signal]
  const reasons = [...rejections.map(({ reason }) => reason), ...warnings]
  if (reasons.length === 0) return encode(name, encoding, {})
  // 64-bit integers are text in the JSON form.
  const rejected = encoding === 'json' ? String(rejections.length) : rejections.length
  return encode(name, encoding, { partialSuccess: { [count]: rejected, errorMessage: summaryOf(reasons) } })
}

function summaryOf(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const texts = [...counts].map(([reason, count]) => (count === 1 ? reason : `${reason} (${count} times)`))
  const more = texts.length > maxReasons ? `; and ${texts.length - maxReasons} other reasons` : ''
  return `${texts.slice(0, maxReasons).join('; ')}${more}`
}

async function encode(name: MessageName, encoding: Encoding, value: object): Promise<Buffer> {
  return encoding === 'json' ? Buffer.from(JSON.stringify(value)) : (await loadCodec()).encode(name, value)
}

/** Codes of google.rpc.Code by HTTP status. */
const codes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  408: 4,
  409: 10,
  413: 3,
  415: 3,
  421: 3,
  422: 3,
  429: 8,
  503: 14,
}
const internal = 13
const errorInfo = 'type.googleapis.com/google.rpc.ErrorInfo'
/** The domain of the reasons, which are the codes of the API. */
const domain = 'promptdeck'

/** Returns the body of an error: a google.rpc.Status with the code of the problem as its reason. */
export async function statusOf(
  { code: reason, message }: Problem,
  status: number,
  encoding: Encoding,
): Promise<Buffer> {
  const code = codes[status] ?? internal
  const info = { reason, domain }
  if (encoding === 'json')
    return encode('Status', encoding, { code, message, details: [{ '@type': errorInfo, ...info }] })
  const value = await encode('ErrorInfo', encoding, info)
  return encode('Status', encoding, { code, message, details: [{ typeUrl: errorInfo, value }] })
}
