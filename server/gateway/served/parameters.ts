import type { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import { fail } from '../../lib/fail.ts'
import { type Json, record } from '../protocols/json.ts'
import { objectOf } from './served-model.ts'

/** The parameters of a prompt that are plain values. */
type PlainParam =
  | 'temperature'
  | 'top_p'
  | 'top_k'
  | 'max_output_tokens'
  | 'stop'
  | 'seed'
  | 'frequency_penalty'
  | 'presence_penalty'

/** The name of each parameter in a protocol; null: it has none. */
export type ParamNames = Readonly<Record<PlainParam, string | null>>

const isSet = (value: unknown): boolean => value !== undefined && value !== null

/** Throws for a setting of a prompt that the protocol does not have. */
export function rejectParam(name: string): never {
  throw fail('request.malformed', {
    detail: `The prompt has the parameter ${name}, which this protocol does not have. Remove it from the prompt, or use another protocol.`,
  })
}

/** Returns the plain parameters of a prompt under the names of a protocol, except those that the request has. */
export function plainParams(params: PromptParams, names: ParamNames, given: Json): Json {
  const added: Record<string, unknown> = {}
  for (const [param, name] of Object.entries(names)) {
    const value = params[param]
    if (!isSet(value)) continue
    if (name === null) rejectParam(param)
    if (!isSet(given[name])) added[name] = value
  }
  return added
}

/** Returns the fields if the request does not have the field of this name. */
export const unlessGiven = (given: Json, name: string, fields: () => Json): Json =>
  isSet(given[name]) ? {} : fields()

/** Returns the arguments of a tool call, which may be JSON text, as an object. */
export const argumentsObject = objectOf

/** Returns a field that is an object, with what the request sets in it. */
export const mergedField = (name: string, own: Json, body: Json): Json =>
  Object.keys(own).length === 0 ? {} : { [name]: { ...own, ...record(body[name]) } }

/** Returns the arguments of a tool call as JSON text. */
export const argumentsText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? {})

/** Returns the messages of a request as a list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
