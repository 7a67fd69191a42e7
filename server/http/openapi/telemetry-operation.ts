import { maxOtlpBytes, otlpMediaTypes } from '../../../contract/telemetry/telemetry.ts'
import { retryHeaders, sizeText } from './reply-headers.ts'

type Json = Record<string, unknown>
type Content = Readonly<Record<string, Json>>
type Operation = Json & {
  readonly requestBody: Json & { readonly content: Content }
  readonly responses: Readonly<Record<string, Json & { readonly content?: Content }>>
}

const binary = { schema: { type: 'string', format: 'binary' } }
/** google.rpc.Status in the JSON form of Protobuf. */
const status = {
  schema: {
    type: 'object',
    properties: {
      code: { type: 'integer', description: 'google.rpc.Code' },
      message: { type: 'string' },
      details: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            '@type': { type: 'string' },
            reason: { type: 'string', description: 'The code of the problem, as in other replies' },
            domain: { type: 'string' },
          },
        },
      },
    },
    required: ['code', 'message'],
  },
}

/** Errors of the HTTP parser, which does not know the path. */
const parserStatuses: ReadonlySet<string> = new Set(['414', '431'])

const bodyLimit = `At most ${sizeText(maxOtlpBytes.sent)} as sent and ${sizeText(maxOtlpBytes.decompressed)} decompressed`

/** Returns the operation of a telemetry endpoint: both encodings, and errors as google.rpc.Status. */
export function inOtlp(operation: Json): Json {
  const { requestBody, responses, ...others } = operation as Operation
  const inBoth = (content: Content = {}) => ({
    ...Object.fromEntries(Object.entries(content).filter(([type]) => type === otlpMediaTypes.json)),
    [otlpMediaTypes.protobuf]: binary,
  })
  const asStatus = { [otlpMediaTypes.json]: status, [otlpMediaTypes.protobuf]: binary }
  const replies = Object.entries(responses)
    // The validity of a message is that of its encoding, and a full store is 503.
    .filter(([code]) => code !== '422')
    .map(([code, reply]) => [
      code,
      {
        ...reply,
        ...(code === '503' && { headers: retryHeaders }),
        content: code === '200' ? inBoth(reply.content) : parserStatuses.has(code) ? reply.content : asStatus,
      },
    ])
  return {
    ...others,
    requestBody: { ...requestBody, description: bodyLimit, content: inBoth(requestBody.content) },
    responses: Object.fromEntries(replies),
  }
}
