import type { ProviderName } from '../../contract/models/models.ts'
import { type GenerateRequest, ModelError } from './model.ts'
import { providers } from './providers.ts'

/** Throws for errors that can be found without asking the provider. */
export function checkRequest(name: ProviderName, request: GenerateRequest): void {
  const refusal = refusalOf(name, request)
  if (refusal !== null) throw new ModelError('bad_request', refusal)
}

function refusalOf(name: ProviderName, request: GenerateRequest): string | null {
  const { label, unsupportedParams, hasLeadingInstructions, refusalOf: providerRefusalOf } = providers[name]
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
