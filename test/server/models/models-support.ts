import type { BuiltInProvider, ToolCall } from '../../../contract/models/models.ts'
import { createModels, type ModelsParts } from '../../../server/models/create-models.ts'
import type { GenerateRequest, ModelError, ModelEvent, Models, Usage } from '../../../server/models/model.ts'
import { builtInProvider } from '../../../server/models/providers.ts'
import type { ProviderSettings } from '../../../server/models/settings.ts'
import { createOutboundFetch } from '../../../server/outbound/fetch.ts'

export const key = 'sk-test-canary-0123456789abcdefghij'

/** A provider with a network protocol, and the expected values for it. */
export type Case = {
  readonly name: BuiltInProvider
  readonly wire: string
  readonly model: string
  /** Path of the base URL. */
  readonly base: string
  readonly usage: Usage
}
const usage = { promptTokens: 11, outputTokens: 7, cachedTokens: 4, reasoningTokens: 2 }

export const cases: readonly Case[] = [
  { name: 'openai', wire: 'openai-chat', model: 'gpt-4o-mini', base: '/v1', usage },
  {
    name: 'claude',
    wire: 'anthropic',
    model: 'claude-haiku-4-5',
    base: '/v1',
    usage: { ...usage, reasoningTokens: null },
  },
  { name: 'gemini', wire: 'gemini', model: 'gemini-2.5-flash', base: '/v1beta', usage },
  {
    name: 'ollama',
    wire: 'ollama',
    model: 'llama3.2',
    base: '',
    usage: { ...usage, cachedTokens: null, reasoningTokens: null },
  },
  { name: 'openai-compatible', wire: 'openai-chat', model: 'qwen3', base: '/v1', usage },
]

/** Returns models with every provider set up at the local server; `change` overrides their settings. */
export function modelsAt(
  url: string,
  change: Partial<ProviderSettings> = {},
  parts: Partial<ModelsParts> = {},
): Models {
  return createModels({
    settingsOf: (name) => {
      const facts = builtInProvider(name)
      if (facts === null) throw new Error(`there is no provider ${name}`)
      const { models, defaultModel, isLocal, concurrency } = facts
      const base = cases.find((candidate) => candidate.name === name)?.base ?? ''
      const set = {
        isEnabled: true,
        baseUrl: `${url}${base}`,
        hasKey: true,
        isKeyLost: false,
        key: () => key,
      }
      return { models, defaultModel, isLocal, concurrency, ...set, ...change }
    },
    // The fetch of the product, which checks and pins addresses.
    fetchOf: () => createOutboundFetch({ isLocal: true }),
    // Retries do not wait; `policies.test.ts` tests the waits.
    sleep: () => Promise.resolve(),
    random: () => 0,
    ...parts,
  })
}

export const requestOf = (model: string, change: Partial<GenerateRequest> = {}): GenerateRequest => ({
  model,
  messages: [{ role: 'user', content: 'Hi world' }],
  params: {},
  tools: [],
  responseSchema: null,
  ...change,
})

export type Outcome = {
  readonly text: string
  readonly deltas: number
  readonly calls: readonly ToolCall[]
  readonly end: Extract<ModelEvent, { type: 'end' }> | null
  readonly ends: number
  /** The thrown error; null if the call succeeded. */
  readonly error: ModelError | null
}

/** Runs one call to its end and collects its events. */
export async function outcome(
  models: Models,
  name: string,
  request: GenerateRequest,
  signal: AbortSignal = new AbortController().signal,
  principal = 'user:u-1',
): Promise<Outcome> {
  const events: ModelEvent[] = []
  let error: ModelError | null = null
  try {
    for await (const event of choice(models, name).generate(request, signal, principal)) events.push(event)
  } catch (thrown) {
    error = thrown as ModelError
  }
  const texts = events.flatMap((event) => (event.type === 'delta' ? [event.text] : []))
  const ends = events.filter((event) => event.type === 'end')
  return {
    text: texts.join(''),
    deltas: texts.length,
    calls: events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : [])),
    end: ends.at(-1) ?? null,
    ends: ends.length,
    error,
  }
}

export function choice(models: Models, name: string) {
  const found = models.find(name)
  if (found === null) throw new Error(`there is no provider ${name}`)
  return found
}
