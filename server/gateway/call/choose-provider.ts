import { gatewayProtocols } from '../../../contract/gateway/gateway.ts'
import { offlineProvider } from '../../../contract/models/models.ts'
import { fail } from '../../lib/fail.ts'
import type { DirectModels, DirectProvider } from '../../models/model.ts'
import { providerOfProtocol } from '../../models/providers.ts'
import { isServedOffline } from '../offline/reply.ts'
import type { Match } from '../protocols/protocols.ts'
import { runHeadersOf } from '../request/run-headers.ts'
import type { Exchange } from './exchange.ts'
import type { PreparedCall } from './prepared-call.ts'

/** Returns true if a provider has the protocol of a request, or replies in it inside the service. */
export const canReply = ({ kind, generate }: DirectProvider, match: Match): boolean =>
  kind === match.kind || (generate !== null && isServedOffline(match.protocol.base))

/** Returns the provider of a request: the one it names, else the first that has its protocol. */
export function providerOf(models: DirectModels, exchange: Exchange): DirectProvider {
  const { match, req } = exchange
  const named = runHeadersOf(req.headers).provider
  const name = named ?? providerOfProtocol(match.kind)
  const provider = name === null ? null : models.direct(name)
  if (provider === null) throw fail('request.malformed', { detail: `The provider ${name} does not exist.` })
  if (!canReply(provider, match))
    throw fail('request.malformed', {
      detail: `The provider ${name} does not use the protocol of ${match.protocol.label}.`,
    })
  if (match.operation !== 'models' || named !== null) return provider
  const offline = offlineFor(models, exchange)
  // Without a provider that can be called, its own models are those to list.
  const isOnly = provider.refusal(false) !== null
  return offline !== null && (isOnly || isModelOf(offline, match.model, provider)) ? offline : provider
}

/** Returns a call for a model of the offline provider with that provider; any other call unchanged. */
export function withOfflineModel(models: DirectModels, call: PreparedCall): PreparedCall {
  const { exchange, provider, headers, requestFields } = call
  if (headers.provider !== null) return call
  const offline = offlineFor(models, exchange)
  return offline !== null && isModelOf(offline, requestFields.model, provider)
    ? { ...call, provider: offline }
    : call
}

/** Returns the advice for a call whose provider is not set up; null if no model replies without one. */
export function offlineAdvice(models: DirectModels, { exchange, headers }: PreparedCall): string | null {
  const { match, hasOwnKey } = exchange
  if (headers.provider !== null || match.operation !== 'chat' || hasOwnKey) return null
  const model = enabledOffline(models)?.settings.defaultModel ?? null
  if (model === null) return null
  const place = isServedOffline(match.protocol.base) ? '' : `, at ${gatewayProtocols.openai.base} only`
  return `The model ${model} replies without a provider${place}.`
}

/** Returns the offline provider; null if it cannot reply to a request. The key of a caller is for its provider. */
function offlineFor(models: DirectModels, { match, hasOwnKey }: Exchange): DirectProvider | null {
  return hasOwnKey || !isServedOffline(match.protocol.base) ? null : enabledOffline(models)
}

/** Returns the offline provider; null if it may not be called. */
function enabledOffline(models: DirectModels): DirectProvider | null {
  const provider = models.direct(offlineProvider)
  return provider === null || provider.refusal(false) !== null ? null : provider
}

/** Returns true for a model of the offline provider, unless the other provider has one of the same name. */
const isModelOf = (offline: DirectProvider, model: string | null, other: DirectProvider): boolean =>
  model !== null && offline.settings.models.includes(model) && !other.settings.models.includes(model)
