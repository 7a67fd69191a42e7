import type { VirtualModel } from '../../../contract/gateway/virtual-models.ts'
import { fail } from '../../lib/fail.ts'
import type { DirectModels, DirectProvider } from '../../models/model.ts'
import { requestFieldsOf, rewritable } from '../request/request-fields.ts'
import { canReply } from './choose-provider.ts'
import type { PreparedCall } from './prepared-call.ts'

/** A model that is tried for a call. */
export type Target = { readonly provider: DirectProvider; readonly model: string }

/** A virtual model, and the targets to try for a call of it. */
export type Plan = {
  readonly virtual: VirtualModel
  /** In the order of the tries; at least one. */
  readonly targets: readonly Target[]
}

/** Returns the plan of a call whose model is a virtual one; null for any other call. */
export function planOf(
  models: DirectModels,
  virtualModels: readonly VirtualModel[],
  { requestFields, exchange: { match } }: PreparedCall,
): Plan | null {
  const virtual = virtualModels.find(({ name }) => name === requestFields.model)
  if (virtual === undefined) return null
  const targets = virtual.targets.flatMap(({ provider: name, model }) => {
    const provider = models.direct(name)
    // Requests are not translated, so only providers with the protocol of the call are tried, and the
    // provider inside the service.
    return provider !== null && canReply(provider, match) ? [{ provider, model }] : []
  })
  if (targets.length === 0)
    throw fail('request.malformed', {
      detail: `No provider of the virtual model ${virtual.name} uses the protocol of ${match.protocol.label}.`,
    })
  return { virtual, targets }
}

/** Returns a call with the provider and the model of a target: the model is in the path, or in the body. */
export function withTarget(call: PreparedCall, { provider, model }: Target): PreparedCall {
  const { match } = call.exchange
  if (match.model !== null) {
    const path = call.path.replace(/^\/models\/[^:]+/, () => `/models/${encodeURIComponent(model)}`)
    return { ...call, provider, path, requestFields: { ...call.requestFields, model } }
  }
  const body = Buffer.from(JSON.stringify({ ...rewritable(call.content), model }))
  return {
    ...call,
    provider,
    body,
    content: body,
    isRewritten: true,
    requestFields: requestFieldsOf(match.protocol, body, null),
  }
}
