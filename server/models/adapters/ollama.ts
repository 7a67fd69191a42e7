import type { GenerateRequest } from '../model.ts'
import { endOf } from '../policies/waiting.ts'
import { type Connection, connect } from './connection.ts'
import { type CallState, failureOf, frameFailure, malformed, refusal, unfinished } from './failure.ts'
import { createMeter } from './meter.ts'
import { ndjson } from './ndjson.ts'
import { Chunk, chatBody, usageOf } from './ollama-wire.ts'
import type { SdkSetup } from './sdk-source.ts'
import { sentenceInBody } from './sentence.ts'
import type { Part, Source } from './source.ts'
import { boundedArguments } from './tool-arguments.ts'

/**
 * Ollama's own protocol: unlike its OpenAI-compatible one it takes `top_k` and reports why it stopped. A key
 * is sent if one is set, for a proxy in front of Ollama.
 */
export function ollamaSource({ settings, fetch }: SdkSetup): Source {
  return async function* (request, signal) {
    const secrets: string[] = []
    const state: CallState = { signal, secrets }
    const meter = createMeter(fetch)
    try {
      const connection = await connect(settings(), meter.fetch)
      if (connection.key !== null) secrets.push(connection.key)
      const body = await ask(connection, request, state)
      yield* parts(body, state, () => meter.reset())
    } catch (error) {
      if (signal.aborted) throw endOf(signal)
      throw error instanceof SyntaxError ? malformed('a line is no JSON') : failureOf(error, state)
    }
  }
}

async function ask({ baseUrl, key, fetch }: Connection, request: GenerateRequest, state: CallState) {
  const reply = await fetch(`${baseUrl}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(chatBody(request)),
    signal: state.signal,
  })
  if (!reply.ok) {
    throw refusal(reply.status, sentenceInBody(await reply.text()), Object.fromEntries(reply.headers), state)
  }
  if (reply.body === null) throw unfinished(false)
  return reply.body
}

async function* parts(
  body: ReadableStream<Uint8Array>,
  state: CallState,
  understood: () => void,
): AsyncGenerator<Part> {
  let calls = 0
  let isBegun = false
  for await (const line of ndjson(body)) {
    understood()
    isBegun = true
    if (typeof line === 'object' && line !== null && 'error' in line) throw frameFailure(line, state)
    const read = Chunk.safeParse(line)
    if (!read.success) throw malformed('it is not what this provider speaks')
    const { message, done, done_reason: reason } = read.data
    const text = message?.content ?? ''
    yield text === '' ? { type: 'alive' } : { type: 'delta', text }
    for (const { id, function: called } of message?.tool_calls ?? []) {
      calls += 1
      yield {
        type: 'tool_call',
        call: { id: id ?? `call_${calls}`, name: called.name, arguments: boundedArguments(called.arguments) },
      }
    }
    if (!done) continue
    const finishReason = calls > 0 && reason === 'stop' ? 'tool_calls' : (reason ?? 'stop')
    return yield { type: 'end', finishReason, usage: usageOf(read.data) }
  }
  throw unfinished(isBegun)
}
