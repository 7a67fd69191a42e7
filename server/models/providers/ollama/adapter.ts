import type { GenerateRequest } from '../../model.ts'
import { abortErrorOf } from '../../policies/sleep.ts'
import { createByteLimit } from '../../protocol/byte-limit.ts'
import { type Connection, connect } from '../../protocol/connection.ts'
import { messageInBody } from '../../protocol/error-message.ts'
import {
  type CallState,
  failureOf,
  frameFailure,
  malformed,
  refusal,
  unexpectedProtocol,
  unfinished,
} from '../../protocol/failure.ts'
import { boundedArguments } from '../../protocol/tool-arguments.ts'
import type { AdapterParts } from '../../provider.ts'
import type { Part, Source } from '../../source.ts'
import { ndjson } from './ndjson.ts'
import { Chunk, chatBody, usageOf } from './wire.ts'

/**
 * Ollama's own protocol: unlike its OpenAI-compatible one it takes `top_k` and reports why it stopped. A key
 * is sent if one is set, for a proxy in front of Ollama.
 */
export function ollamaSource({ settings, fetch }: Pick<AdapterParts, 'settings' | 'fetch'>): Source {
  return async function* (request, signal) {
    const secrets: string[] = []
    const state: CallState = { signal, secrets }
    const limit = createByteLimit(fetch)
    try {
      const connection = await connect(settings(), limit.fetch)
      if (connection.key !== null) secrets.push(connection.key)
      const body = await post(connection, request, state)
      yield* parts(body, state, () => limit.reset())
    } catch (error) {
      if (signal.aborted) throw abortErrorOf(signal)
      throw error instanceof SyntaxError ? malformed('a line is not JSON') : failureOf(error, state)
    }
  }
}

async function post({ baseUrl, key, fetch }: Connection, request: GenerateRequest, state: CallState) {
  const reply = await fetch(`${baseUrl}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(chatBody(request)),
    signal: state.signal,
  })
  if (!reply.ok) {
    throw refusal(reply.status, messageInBody(await reply.text()), Object.fromEntries(reply.headers), state)
  }
  if (reply.body === null) throw unfinished(false)
  return reply.body
}

/** Yields the parts of a response. `onLine` is called for each parsed line. */
async function* parts(
  body: ReadableStream<Uint8Array>,
  state: CallState,
  onLine: () => void,
): AsyncGenerator<Part> {
  let toolCallCount = 0
  let isBegun = false
  for await (const line of ndjson(body)) {
    onLine()
    isBegun = true
    const chunk = chunkOf(line, state)
    const text = chunk.message?.content ?? ''
    yield text === '' ? { type: 'activity' } : { type: 'delta', text }
    for (const toolCall of chunk.message?.tool_calls ?? []) {
      toolCallCount += 1
      yield toolCallPart(toolCall, toolCallCount)
    }
    if (chunk.done) return yield endPart(chunk, toolCallCount > 0)
  }
  throw unfinished(isBegun)
}

function chunkOf(line: unknown, state: CallState): Chunk {
  if (typeof line === 'object' && line !== null && 'error' in line) throw frameFailure(line, state)
  const parsed = Chunk.safeParse(line)
  if (!parsed.success) throw malformed(unexpectedProtocol)
  return parsed.data
}

type ToolCallChunk = NonNullable<Chunk['message']>['tool_calls'][number]

const toolCallPart = ({ id, function: called }: ToolCallChunk, index: number): Part => ({
  type: 'tool_call',
  call: { id: id ?? `call_${index}`, name: called.name, arguments: boundedArguments(called.arguments) },
})

function endPart(chunk: Chunk, hasToolCalls: boolean): Part {
  const reason = chunk.done_reason ?? 'stop'
  const finishReason = hasToolCalls && reason === 'stop' ? 'tool_calls' : reason
  return { type: 'end', finishReason, usage: usageOf(chunk) }
}
