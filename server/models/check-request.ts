import { type GenerateRequest, ModelError } from './model.ts'
import type { Provider } from './provider.ts'

/** Throws for errors that can be found without asking the provider. */
export function checkRequest(provider: Provider, request: GenerateRequest): void {
  const refusal = refusalOf(provider, request)
  if (refusal !== null) throw new ModelError('bad_request', refusal)
}

function refusalOf(provider: Provider, request: GenerateRequest): string | null {
  const { label, unsupportedParams, hasLeadingInstructions, refusalOf: providerRefusalOf } = provider
  const { params, tools, messages } = request
  const unknown = unsupportedParams.find((param) => params[param] !== undefined)
  if (unknown !== undefined) return `${label} has no parameter ${unknown}`
  if (params.tool_choice === 'required' && tools.length === 0) {
    return 'tool_choice is required, but no tool is declared'
  }
  const refusal = providerRefusalOf?.(request) ?? null
  if (refusal !== null) return refusal
  const firstMessage = messages.findIndex(({ role }) => role !== 'system')
  const isInstructionLate = messages.slice(firstMessage).some(({ role }) => role === 'system')
  return hasLeadingInstructions && isInstructionLate
    ? `${label} accepts system messages only before all other messages`
    : null
}
