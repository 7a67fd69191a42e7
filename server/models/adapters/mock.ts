import type { MockBehaviour } from '../../../contract/models.ts'
import { type GenerateRequest, ModelError, type ModelEvent } from '../model.ts'
import { endOf, type Sleep } from '../policies/waiting.ts'
import { instanceOf } from './schema-instance.ts'
import type { Source } from './source.ts'
import { createWay } from './way.ts'

/**
 * `mock-small` answers at once, `mock-large` as slowly as a large model, so that comparisons show a
 * difference.
 */
const paces: Readonly<Record<string, MockBehaviour>> = {
  'mock-large': { first_token_ms: 150, tokens_per_second: 60 },
}
/** Timers are too coarse for shorter waits; deltas due within this time are sent together. */
const shortestWaitMs = 4
/** Consecutive deltas without a pause after which the call yields to others. */
const atOnce = 8
const mostDeltas = 2000

/** Splits text into words with the space after them. In a long text several words form a piece. */
function pieces(text: string): string[] {
  const words = text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text])
  const size = Math.ceil(words.length / mostDeltas)
  if (size <= 1) return words
  return Array.from({ length: Math.ceil(words.length / size) }, (_, at) =>
    words.slice(at * size, (at + 1) * size).join(''),
  )
}

const afterStop = (text: string, stops: readonly string[]): string => {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}

function answerOf(request: GenerateRequest): { parts: string[]; finishReason: string } {
  const prompt = request.messages.at(-1)?.content ?? ''
  const whole =
    request.responseSchema === null
      ? `mock completion (${request.model}): ${prompt}`
      : JSON.stringify(instanceOf(request.responseSchema))
  const { stop = [], max_output_tokens: max } = request.params
  const parts = pieces(afterStop(whole, stop))
  if (max === undefined || parts.length <= max) return { parts, finishReason: 'stop' }
  return { parts: parts.slice(0, max), finishReason: 'length' }
}

const failed = () => new ModelError('provider_error', 'The mock provider failed, as it was asked to')

/**
 * The offline provider: returns the same answer for the same request, with the pace and failure of
 * `params.mock`. A word counts as one token. Reports no usage.
 */
export function createMock({ sleep }: { readonly sleep: Sleep }): { readonly generate: Source } {
  const giveWay = createWay()
  return {
    async *generate(request, signal): AsyncGenerator<ModelEvent> {
      const behaviour = { ...paces[request.model], ...request.params.mock }
      const firstMs = behaviour.first_token_ms ?? 0
      const tokensPerMs = (behaviour.tokens_per_second ?? Number.POSITIVE_INFINITY) / 1000
      if (signal.aborted) throw endOf(signal)
      if (firstMs > 0) await sleep(firstMs, signal)
      if (behaviour.fail === 'start') throw failed()
      const [tool] = request.tools
      if (tool !== undefined && request.params.tool_choice === 'required') {
        const call = { id: 'call_mock_1', name: tool.name, arguments: instanceOf(tool.parameters) }
        yield { type: 'tool_call', call }
        yield { type: 'end', finishReason: 'tool_calls', usage: null }
        return
      }
      const { parts, finishReason } = answerOf(request)
      const failAt = behaviour.fail === undefined ? -1 : Math.ceil(parts.length / 2)
      const beginMs = performance.now()
      for (const [at, text] of parts.entries()) {
        if (at === failAt) await fail(behaviour.fail === 'stall', sleep, signal)
        // The schedule is absolute, so that a late delta does not delay the rest.
        const earlyMs = beginMs + at / tokensPerMs - performance.now()
        const isEarly = earlyMs >= shortestWaitMs
        if (isEarly) await sleep(earlyMs, signal)
        if (isEarly || at % atOnce === 0) await giveWay()
        if (signal.aborted) throw endOf(signal)
        yield { type: 'delta', text }
      }
      if (failAt >= parts.length) await fail(behaviour.fail === 'stall', sleep, signal)
      yield { type: 'end', finishReason, usage: null }
    },
  }
}

/** Sleeps for longer than any call may take if stalled, then throws. */
async function fail(isStalled: boolean, sleep: Sleep, signal: AbortSignal): Promise<never> {
  if (isStalled) await sleep(86_400_000, signal)
  throw failed()
}
