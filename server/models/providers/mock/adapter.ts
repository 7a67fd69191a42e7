import type { MockBehaviour } from '../../../../contract/models/models.ts'
import { dayMs } from '../../../lib/durations.ts'
import { type GenerateRequest, ModelError, type ModelEvent } from '../../model.ts'
import { abortErrorOf, type Sleep } from '../../policies/sleep.ts'
import type { Source } from '../../source.ts'
import { createBatchedYield } from './batched-yield.ts'
import { exampleOf } from './schema-example.ts'

/**
 * `mock-small` responds immediately, `mock-large` as slowly as a large model, so that comparisons show a
 * difference.
 */
const speeds: Readonly<Record<string, MockBehaviour>> = {
  'mock-large': { first_token_ms: 150, tokens_per_second: 60 },
}
/** Milliseconds. Timers are too coarse for shorter waits; deltas due within this time are sent together. */
const minWaitMs = 4
/** Consecutive deltas without a pause after which the call yields to others. */
const deltasPerYield = 8
const maxDeltas = 2000

/** Splits text into words with the space after them. In a long text several words form a piece. */
function pieces(text: string): string[] {
  const words = text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text])
  const size = Math.ceil(words.length / maxDeltas)
  if (size <= 1) return words
  return Array.from({ length: Math.ceil(words.length / size) }, (_, index) =>
    words.slice(index * size, (index + 1) * size).join(''),
  )
}

const beforeStop = (text: string, stops: readonly string[]): string => {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0)
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}

function responseOf(request: GenerateRequest): { parts: string[]; finishReason: string } {
  const prompt = request.text ?? request.messages.at(-1)?.content ?? ''
  const schema = request.responseSchema ?? (request.isJson === true ? { type: 'object' } : null)
  const text =
    schema === null ? `mock completion (${request.model}): ${prompt}` : JSON.stringify(exampleOf(schema))
  const { stop = [], max_output_tokens: max } = request.params
  const parts = pieces(beforeStop(text, stop))
  if (max === undefined || parts.length <= max) return { parts, finishReason: 'stop' }
  return { parts: parts.slice(0, max), finishReason: 'length' }
}

/**
 * The offline provider: returns the same response for the same request, with the pace and failure of
 * `params.mock`. A word counts as one token. Reports no usage.
 */
export function createMock({ sleep }: { readonly sleep: Sleep }): Source {
  const yieldIfDue = createBatchedYield()
  return (request, signal) => respond(request, { sleep, yieldIfDue, signal })
}

type Call = {
  readonly sleep: Sleep
  readonly yieldIfDue: () => Promise<void>
  readonly signal: AbortSignal
}

async function* respond(request: GenerateRequest, call: Call): AsyncGenerator<ModelEvent> {
  const { sleep, signal } = call
  const behaviour = { ...speeds[request.model], ...request.params.mock }
  const firstMs = behaviour.first_token_ms ?? 0
  if (signal.aborted) throw abortErrorOf(signal)
  if (firstMs > 0) await sleep(firstMs, signal)
  if (behaviour.fail === 'start') throw failure()
  const toolCall = requiredToolCall(request)
  if (toolCall !== null) {
    yield toolCall
    yield { type: 'end', finishReason: 'tool_calls', usage: null }
    return
  }
  const { parts, finishReason } = responseOf(request)
  const failAt = behaviour.fail === undefined ? -1 : Math.ceil(parts.length / 2)
  const waitBefore = createPace(behaviour, call)
  for (const [index, text] of parts.entries()) {
    if (index === failAt) await fail(behaviour, call)
    const wait = waitBefore(index)
    if (wait !== undefined) await wait
    if (signal.aborted) throw abortErrorOf(signal)
    yield { type: 'delta', text }
  }
  if (failAt >= parts.length) await fail(behaviour, call)
  yield { type: 'end', finishReason, usage: null }
}

function requiredToolCall({ tools, params }: GenerateRequest): ModelEvent | null {
  const [tool] = tools
  if (tool === undefined || params.tool_choice !== 'required') return null
  const call = { id: 'call_mock_1', name: tool.name, arguments: exampleOf(tool.parameters) }
  return { type: 'tool_call', call }
}

/**
 * Returns a function that waits until a delta is due. The schedule is absolute, so that a late delta does not
 * delay the rest.
 */
function createPace(
  { tokens_per_second: perSecond = Number.POSITIVE_INFINITY }: MockBehaviour,
  { sleep, yieldIfDue, signal }: Call,
): (index: number) => Promise<void> | undefined {
  const beginMs = performance.now()
  return (index) => {
    const earlyMs = beginMs + (index * 1000) / perSecond - performance.now()
    if (earlyMs >= minWaitMs) return sleep(earlyMs, signal).then(yieldIfDue)
    return index % deltasPerYield === 0 ? yieldIfDue() : undefined
  }
}

const failure = () => new ModelError('provider_error', 'The mock provider failed, as requested')

/** Throws the requested failure. A stall first sleeps for longer than any call may take. */
async function fail({ fail: failureMode }: MockBehaviour, { sleep, signal }: Call): Promise<never> {
  if (failureMode === 'stall') await sleep(dayMs, signal)
  throw failure()
}
