import { type Environment, environments } from '../../../contract/common/environments.ts'
import { servedModelPrefix, variablesField } from '../../../contract/gateway/gateway.ts'
import { type Json, record } from '../protocols/json.ts'

/** A prompt that a request names as its model. */
export type ServedModel = { readonly key: string; readonly env: Environment | null }

/** Parses the name of a model; null if it is not a prompt. */
export function servedModelOf(model: string | null): ServedModel | null {
  if (model === null || !model.startsWith(servedModelPrefix)) return null
  const name = model.slice(servedModelPrefix.length)
  const at = name.lastIndexOf('@')
  const env = environments.find((known) => known === name.slice(at + 1))
  // A key may contain the sign.
  const key = at > 0 && env !== undefined ? name.slice(0, at) : name
  return { key: key.normalize('NFC'), env: at > 0 ? (env ?? null) : null }
}

/** Returns an object, also from its JSON: some clients allow only texts in metadata. Empty for anything else. */
export function objectOf(value: unknown): Json {
  if (typeof value !== 'string') return record(value)
  try {
    return record(JSON.parse(value))
  } catch {
    return {}
  }
}

/** Returns the values of variables in a request, and the request without them: they are not for the provider. */
export function takeVariables(body: Json): { readonly values: Json; readonly rest: Json } {
  const { [variablesField]: own, metadata, ...rest } = body
  const { variables, ...more } = record(metadata)
  const values = { ...objectOf(variables), ...objectOf(own) }
  const hasMetadata = metadata !== undefined && (variables === undefined || Object.keys(more).length > 0)
  return {
    values,
    rest: hasMetadata ? { ...rest, metadata: variables === undefined ? metadata : more } : rest,
  }
}
