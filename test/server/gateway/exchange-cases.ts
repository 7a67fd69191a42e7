import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { createRandom } from '../../harness/lib/random.mjs'
import type { Script } from '../../support/model-server/scripted.ts'
import type { Answer } from '../../support/model-server/wire.ts'
import { families, requestIdHeadersOf, requestIdOf, type Shape } from './shapes.ts'

export type ExpectedRun = Readonly<Record<string, unknown>>

export type ExchangeCase = {
  readonly name: string
  readonly path: string
  readonly body: string
  readonly script: Script
  readonly expected: ExpectedRun
}

/** Splits bytes at random positions, also within characters. */
function chunked(bytes: Buffer, random: () => number): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(random() * 400)
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

const encodings = {
  identity: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gzipSync(bytes),
  deflate: (bytes: Buffer) => deflateSync(bytes),
  br: (bytes: Buffer) => brotliCompressSync(bytes),
}
type Encoding = keyof typeof encodings

const answers: Readonly<Record<string, Partial<Answer>>> = {
  text: { pieces: ['Ja, ', 'natürlich: ', '日本 ', '👍🏽.'] },
  cut: { pieces: ['Only '], isCut: true },
  tools: {
    pieces: [],
    toolCalls: [
      { id: 'call_1', name: 'find', arguments: { city: 'Zürich' } },
      { id: 'call_2', name: 'weather', arguments: { at: [1, 2] } },
    ],
  },
  both: { pieces: ['I look. '], toolCalls: [{ id: 'call_1', name: 'find', arguments: {} }] },
  uncounted: { pieces: ['No ', 'usage.'], usage: null },
  long: { pieces: Array.from({ length: 200 }, (_, at) => `word ${at} `) },
  // Without what some servers omit: the content type, the last blank line of a stream, the zlib header of deflate.
  loose: { pieces: ['Omitted'] },
}

const usage = { prompt: 1011, output: 307, cached: 204, reasoning: 32 }
const baseHeaders = (shape: Shape, contentType: string | null, encoding: Encoding): string[] => [
  ...(contentType === null ? [] : ['Content-Type', contentType]),
  ...requestIdHeadersOf(shape),
  ...['Set-Cookie', 'a=1; path=/', 'Set-Cookie', 'b=2', 'Date', 'Wed, 25 Nov 2026 03:00:00 GMT'],
  ...(encoding === 'identity' ? [] : ['Content-Encoding', encoding]),
]

/** Requests of which the text is known, and replies that a real provider sends. */
function replyCases(shape: Shape, random: () => number): ExchangeCase[] {
  return Object.entries(answers).flatMap(([kind, answer]) =>
    [false, true].flatMap((stream) =>
      (Object.keys(encodings) as Encoding[]).flatMap((encoding) =>
        [false, true].map((image) => replyCase(shape, { kind, answer, stream, encoding, image }, random)),
      ),
    ),
  )
}

type Variant = {
  readonly kind: string
  readonly answer: Partial<Answer>
  readonly stream: boolean
  readonly encoding: Encoding
  readonly image: boolean
}

function replyCase(
  shape: Shape,
  { kind, answer, stream, encoding, image }: Variant,
  random: () => number,
): ExchangeCase {
  const { wire } = shape
  const full: Answer = { pieces: [], toolCalls: [], isCut: false, usage, ...answer }
  const body = shape.body(stream, image)
  const request = wire.read(
    body,
    new URL(`http://x${pathOf(shape, stream)}`).pathname.replace(/^\/gateway\/\w+/, ''),
  )
  const frames = wire.frames(request, full)
  const isLoose = kind === 'loose'
  const streamed = [...frames.head, ...frames.pieces, ...frames.tail].join('')
  const text = stream
    ? streamed.replace(isLoose ? /(\s+data: \[DONE\])?\s+$/ : '', '')
    : JSON.stringify(wire.complete(request, full))
  const encode = isLoose && encoding === 'deflate' ? deflateRawSync : encodings[encoding]
  const bytes = encode(Buffer.from(text))
  const wholeType = isLoose ? null : 'application/json'
  const headers = baseHeaders(shape, stream ? wire.streamType : wholeType, encoding)
  return {
    name: `${shape.path} ${kind} ${stream ? 'stream' : 'whole'} ${encoding} ${image ? 'image' : 'text'}`,
    path: pathOf(shape, stream),
    body: JSON.stringify(body),
    script: { status: 200, headers, chunks: chunked(bytes, random) },
    expected: {
      status: 'ok',
      error: null,
      reply_mark: null,
      response_model: request.model,
      response_id: shape.responseId,
      provider_request_id: requestIdOf(shape),
      finish_reason: finishOf(shape, full),
      tool_names: namesOf(full),
      ...countsOf(shape, full),
    },
  }
}

const pathOf = ({ path, streamPath = path }: Shape, stream: boolean): string => (stream ? streamPath : path)

const finishOf = ({ finish }: Shape, { toolCalls, isCut }: Answer): string =>
  toolCalls.length > 0 ? finish.tools : isCut ? finish.length : finish.stop

const namesOf = ({ toolCalls }: Answer): string[] | null =>
  toolCalls.length === 0 ? null : toolCalls.map(({ name }) => name).sort()

/** Protocols that always contain counts report 0 without usage. */
function countsOf(shape: Shape, { usage: counts }: Answer) {
  if (counts === null) return {}
  return {
    prompt_tokens: counts.prompt,
    output_tokens: counts.output,
    cached_tokens: shape.hasCached ? counts.cached : null,
    reasoning_tokens: shape.hasReasoning ? counts.reasoning : null,
    tokens_estimated: false,
  }
}

const statuses: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'bad_request',
  408: 'provider_error',
  409: 'bad_request',
  413: 'bad_request',
  422: 'bad_request',
  429: 'rate_limited',
  500: 'provider_error',
  502: 'provider_error',
  503: 'provider_error',
  529: 'provider_error',
}

/** Refusals in the form of the protocol, of a proxy, and without a body. */
function errorCases(shape: Shape): ExchangeCase[] {
  return Object.entries(statuses).flatMap(([text, type]) => {
    const status = Number(text)
    const message = `Refused with ${status}`
    const bodies = [
      ['application/json', JSON.stringify(shape.wire.refusal({ status, message })), message],
      ['text/html', '<html><b>Bad gateway</b></html>', 'The provider returned status'],
      ['text/plain', '', 'The provider returned status'],
    ] as const
    return bodies.map(([contentType, body, expected]) => ({
      name: `${shape.path} ${status} ${contentType}`,
      path: shape.path,
      body: JSON.stringify(shape.body(false, false)),
      script: {
        status,
        ...(status === 529 && { statusText: 'Overloaded' }),
        headers: [...baseHeaders(shape, contentType, 'identity'), 'Retry-After', '3'],
        chunks: body === '' ? [] : [Buffer.from(body)],
      },
      expected: {
        status: 'error',
        error_type: type,
        error: beginningWith(`${type}: ${expected}`),
        output_tokens: null,
        provider_request_id: requestIdOf(shape),
      },
    }))
  })
}

/** A text that an error must begin with. */
export type Beginning = { readonly beginning: string }
const beginningWith = (beginning: string): Beginning => ({ beginning })

/** Replies that violate the protocol. They are passed on, and their runs are marked. */
function oddCases(shape: Shape, random: () => number): ExchangeCase[] {
  const body = JSON.stringify(shape.body(true, false))
  const odd = (name: string, contentType: string, bytes: Buffer, expected: ExpectedRun) => ({
    name: `${shape.path} ${name}`,
    path: pathOf(shape, true),
    body,
    script: {
      status: 200,
      headers: baseHeaders(shape, contentType, 'identity'),
      chunks: chunked(bytes, random),
    },
    expected,
  })
  const unparsed = { status: 'ok', reply_mark: 'unparsed' }
  const { streamType } = shape.wire
  return [
    odd('page', 'text/html', Buffer.from('<html>Please sign in</html>'), unparsed),
    odd('no type', 'application/octet-stream', Buffer.alloc(2000, 200), unparsed),
    odd('not JSON', 'application/json', Buffer.from('{"half'), unparsed),
    odd('another document', 'application/json', Buffer.from('{"hello":1}'), unparsed),
    odd('empty', 'application/json', Buffer.alloc(0), unparsed),
    odd('broken frame', streamType, Buffer.from(shape.wire.brokenFrame), unparsed),
    odd('error frame', streamType, Buffer.from(shape.wire.errorFrame('Overloaded now')), {
      status: 'error',
      error: beginningWith('provider_error: Overloaded now'),
    }),
    odd('invalid UTF-8', streamType, Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0a]), unparsed),
  ]
}

/** Number of exchanges of a family. */
const wanted = 200

/** Returns 200 exchanges of a family: replies again with other chunks if the distinct ones are fewer. */
export function casesOf(family: string): ExchangeCase[] {
  const random = createRandom(family.length)
  const shapes = families[family]?.shapes ?? []
  const replies = () => shapes.flatMap((shape) => replyCases(shape, random))
  const distinct = [
    ...replies(),
    ...shapes.flatMap((shape) => [...errorCases(shape), ...oddCases(shape, random)]),
  ]
  const again = replies().map((each) => ({ ...each, name: `${each.name} again` }))
  return [...distinct, ...again.slice(0, Math.max(0, wanted - distinct.length))]
}
