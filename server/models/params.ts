import type { ModelParams, ProviderName } from '../../contract/models.ts'
import { type GenerateRequest, ModelError } from './model.ts'
import { providerFacts } from './providers.ts'

type Param = keyof ModelParams

/**
 * Parameters that a provider's protocol does not have. They are refused, not ignored: otherwise comparisons
 * would be misleading. A parameter that only some models lack is refused when the provider, or its library,
 * reports it.
 */
const lacking: Readonly<Record<ProviderName, readonly Param[]>> = {
  mock: [],
  openai: ['top_k', 'mock'],
  claude: ['seed', 'frequency_penalty', 'presence_penalty', 'mock'],
  gemini: ['mock'],
  ollama: ['mock'],
  'openai-compatible': ['mock'],
}

/**
 * Providers whose protocol separates instructions from messages: an instruction between messages would be
 * moved.
 */
const hasOneInstruction: ReadonlySet<ProviderName> = new Set(['claude', 'gemini'])

const refuse = (message: string): ModelError => new ModelError('bad_request', message)

/** Throws for errors that can be found without asking the provider. */
export function checkRequest(name: ProviderName, { params, tools, messages }: GenerateRequest): void {
  const { label } = providerFacts[name]
  const unknown = lacking[name].find((param) => params[param] !== undefined)
  if (unknown !== undefined) throw refuse(`${label} has no parameter ${unknown}`)
  if (params.tool_choice === 'required' && tools.length === 0) {
    throw refuse('tool_choice is required, but no tool is declared')
  }
  if (name === 'claude' && (params.temperature ?? 0) > 1) {
    throw refuse(`${label} takes a temperature of 1 at most`)
  }
  if (name === 'claude' && params.temperature !== undefined && params.top_p !== undefined) {
    throw refuse(`${label} takes either temperature or top_p, not both`)
  }
  const firstSaid = messages.findIndex(({ role }) => role !== 'system')
  if (hasOneInstruction.has(name) && messages.slice(firstSaid).some(({ role }) => role === 'system')) {
    throw refuse(`${label} takes system messages only before all others`)
  }
  if (name === 'ollama' && params.tool_choice === 'required') {
    throw refuse(`${label} has no tool_choice required: whether to call a tool is the model's choice`)
  }
}
