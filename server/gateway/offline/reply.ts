import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import type { ToolCall } from '../../../contract/models/models.ts'
import type { Clock } from '../../lib/clock.ts'
import { isRecord } from '../../lib/values/is-record.ts'
import { type DirectProvider, ModelError, type ModelEvent } from '../../models/model.ts'
import type { Json } from '../protocols/json.ts'
import type { Match } from '../protocols/protocols.ts'
import type { ProviderReply } from '../reply/provider-reply.ts'
import { jsonOf } from '../request/request-fields.ts'
import { chatRoute } from './chat.ts'
import { badRequest } from './read-request.ts'
import { responsesRoute } from './responses.ts'
import type { EventWriter, OfflineRequest, OfflineRoute, Output, ReplyHead } from './route.ts'

/** The routes that are served inside the service, by the part of their pattern after `/gateway/`. */
const routes: readonly (readonly [pattern: string, route: OfflineRoute])[] = [
  ['openai/v1/chat/completions', chatRoute],
  ['openai/v1/responses', responsesRoute],
]

/** Returns true if some routes of a protocol are served inside the service. */
export const isServedOffline = (base: string): boolean =>
  routes.some(([pattern]) => `/gateway/${pattern}`.startsWith(`${base}/`))

type Offline = Pick<DirectProvider, 'name'> & {
  readonly match: Match
  readonly models: readonly string[]
  readonly generate: NonNullable<DirectProvider['generate']>
  readonly body: Buffer | null
  /** Part of the ids in the reply; null if the request is no model call. */
  readonly callId: string | null
  readonly clock: Clock
}

/**
 * Replies instead of a provider, without a network connection. An error before the first output is a reply
 * with its own status, like that of a provider. Rejects if the signal aborts.
 */
export async function replyOffline(offline: Offline, signal: AbortSignal): Promise<ProviderReply> {
  const { match } = offline
  try {
    return match.operation === 'models'
      ? jsonReply(200, modelsOf(offline))
      : await replyToCall(offline, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof ModelError)) throw error
    const { type, message } = error
    const status = error.status ?? (type === 'bad_request' ? 400 : 500)
    const requestId = offline.callId ?? ''
    return jsonReply(status, match.protocol.errorBody({ status, code: type, message, requestId }))
  }
}

async function replyToCall(
  { match, name, generate, body, callId, clock }: Offline,
  signal: AbortSignal,
): Promise<ProviderReply> {
  const route = routes.find(([pattern]) => match.pattern === `/gateway/${pattern}`)?.[1]
  if (route === undefined) throw badRequest(`The provider ${name} does not support this path.`)
  const content = jsonOf(body ?? Buffer.alloc(0))
  if (!isRecord(content)) throw badRequest('The body is not a JSON object.')
  const request = route.read(content)
  const { generate: input, isStream } = request
  const created = Math.floor(clock.now().getTime() / 1000)
  const head: ReplyHead = { id: callId ?? '', model: input.model, created }
  const events = generate(input, signal)[Symbol.asyncIterator]()
  const first = await events.next()
  const collected = collect(request)
  if (isStream) {
    const writer = route.createWriter(head, request)
    return streamReply(streamOf({ writer, collected, events, signal }, first))
  }
  for (let next = first; next.done !== true; next = await events.next()) collected.add(next.value)
  return jsonReply(200, route.complete(head, collected.output()))
}

const wordsIn = (text: string): number => text.match(/\S+/g)?.length ?? 0

/** Collects the events of a response. A word counts as one token, as for the limit of the output. */
function collect({ generate: { messages } }: OfflineRequest) {
  let text = ''
  let finishReason: string | null = null
  const calls: ToolCall[] = []
  return {
    add(event: ModelEvent): void {
      if (event.type === 'delta') text += event.text
      else if (event.type === 'tool_call') calls.push(event.call)
      else finishReason = event.finishReason
    },
    output(): Output {
      const called = calls.map(({ name, arguments: given }) => `${name} ${JSON.stringify(given)}`)
      const prompt = wordsIn(messages.map(({ content }) => content).join('\n'))
      return { text, calls, finishReason, usage: { prompt, output: wordsIn([text, ...called].join('\n')) } }
    },
  }
}

type Stream = {
  readonly writer: EventWriter
  readonly collected: ReturnType<typeof collect>
  readonly events: AsyncIterator<ModelEvent>
  readonly signal: AbortSignal
}

/** Yields the events of a stream. An error of the provider becomes its last event. */
async function* streamOf(
  { writer, collected, events, signal }: Stream,
  first: IteratorResult<ModelEvent>,
): AsyncGenerator<string> {
  yield writer.begin()
  try {
    for (let next = first; next.done !== true; next = await events.next()) {
      const { value: event } = next
      collected.add(event)
      if (event.type === 'delta') yield writer.text(event.text)
      else if (event.type === 'tool_call') yield writer.call(event.call)
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof ModelError)) throw error
    yield writer.fail(error.message)
    return
  }
  yield writer.end(collected.output())
}

/** Returns the list of models, or the requested model. Throws if that model does not exist. */
function modelsOf({ match, models, name }: Offline): Json {
  const listed = models.map((id) => ({ id, object: 'model', created: 0, owned_by: name }))
  if (match.model === null) return { object: 'list', data: listed }
  const found = listed.find(({ id }) => id === match.model)
  if (found === undefined)
    throw new ModelError('bad_request', `The model ${match.model} does not exist.`, { status: 404 })
  return found
}

function reply(body: Readable, status: number, headers: Readonly<Record<string, string>>): ProviderReply {
  const rawHeaders = Object.entries(headers).flat()
  return Object.assign(body, {
    statusCode: status,
    statusMessage: STATUS_CODES[status] ?? '',
    headers,
    rawHeaders,
  })
}

function jsonReply(status: number, value: Json): ProviderReply {
  const body = Buffer.from(JSON.stringify(value))
  return reply(Readable.from([body], { objectMode: false }), status, {
    'content-type': 'application/json',
    'content-length': String(body.length),
  })
}

const streamReply = (events: AsyncIterable<string>): ProviderReply =>
  reply(Readable.from(events, { objectMode: false }), 200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  })
