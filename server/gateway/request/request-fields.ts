import { pathBeyondDepth, tooDeepMessage } from '../../../contract/formats/json.ts'
import { maxOutputLength } from '../../../contract/runs/run-content.ts'
import { fail } from '../../lib/fail.ts'
import { isRecord } from '../../lib/values/is-record.ts'
import { hasTooManyElements } from '../../lib/values/json-elements.ts'
import { type Json, record } from '../protocols/json.ts'
import type { Protocol, RequestFields } from '../protocols/protocol.ts'

/** Parameters that are stored with a run, in the spelling of each protocol. None of them contains text of a prompt. */
const storedParams = new Set([
  ...['temperature', 'top_p', 'top_k', 'topP', 'topK', 'min_p', 'typical_p', 'n', 'candidateCount', 'seed'],
  ...[
    'max_tokens',
    'max_completion_tokens',
    'max_output_tokens',
    'maxOutputTokens',
    'num_predict',
    'num_ctx',
  ],
  ...['frequency_penalty', 'presence_penalty', 'frequencyPenalty', 'presencePenalty', 'repeat_penalty'],
  ...['stream', 'think', 'effort', 'reasoning_effort', 'verbosity', 'service_tier', 'tool_choice', 'store'],
  ...['parallel_tool_calls', 'logprobs', 'top_logprobs', 'responseMimeType', 'dimensions', 'encoding_format'],
])

const isStored = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= 64)

/** Returns the parameters of a request that its run stores. */
export const paramsOf = (params: Json): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params).filter(([name, value]) => storedParams.has(name) && isStored(value)),
  )

/** Text without spaces from this length on is data, such as an image in Base64. */
const minData = 1024

const isData = (text: string): boolean =>
  text.length >= minData && /^(?:data:[^,]{1,100},)?[\w+/=-]+$/.test(text.slice(0, minData))

/** Returns a copy for the run log: data is replaced by its length, and text beyond the limit of outputs is cut off. */
export function shortened(input: Json): Json {
  const budget = { left: maxOutputLength }
  const copies = Object.entries(input).map(([name, value]) => [name, shortCopy(value, budget, 0)])
  return Object.fromEntries(copies)
}

type Budget = { left: number }
const cutOff = '[cut off]'
/** Deeper values of a request are cut off. */
const maxDepth = 32

function shortText(text: string, budget: Budget): string {
  if (isData(text)) return `[${text.length} characters of data]`
  const kept = text.slice(0, Math.max(0, budget.left))
  budget.left -= text.length
  return kept.length === text.length ? text : `${kept}${cutOff}`
}

/** Characters that a value or a name needs in JSON, besides its text. */
const perValue = 4

function shortCopy(value: unknown, budget: Budget, depth: number): unknown {
  budget.left -= perValue
  if (typeof value === 'string') return shortText(value, budget)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth || budget.left <= 0) return cutOff
  if (Array.isArray(value)) return shortList(value, budget, depth)
  const copies: [string, unknown][] = []
  for (const [name, each] of Object.entries(value)) {
    budget.left -= name.length + perValue
    if (budget.left <= 0) break
    copies.push([name, shortCopy(each, budget, depth + 1)])
  }
  return Object.fromEntries(copies)
}

/** Returns the copy of a list, which ends where the limit is reached: a request can have millions of small values. */
function shortList(list: readonly unknown[], budget: Budget, depth: number): unknown[] {
  const copies: unknown[] = []
  for (const each of list) {
    if (budget.left <= 0) return [...copies, cutOff]
    copies.push(shortCopy(each, budget, depth + 1))
  }
  return copies
}

/** Fields whose text the model does not read as such. */
const structure = new Set(['type', 'role', 'id', 'tool_call_id', 'call_id', 'model', 'taskType'])

/** Returns all text that the model reads, for an estimate of its tokens. */
export function promptText(input: Json): string {
  const texts: string[] = []
  const collect = (value: unknown, name: string) => {
    if (typeof value === 'string' && !structure.has(name)) texts.push(value)
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) collect(each, key)
  }
  collect(shortened(input), '')
  return texts.join('\n')
}

/** The fields of a body that is not parsed. It is passed on. */
const unknown: RequestFields = { model: null, endUser: null, params: {}, input: {} }

/** Parses a body; undefined if it is not JSON, or would take too much memory. */
export function jsonOf(body: Buffer): unknown {
  if (hasTooManyElements(body)) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Returns the object in a body that is written again. Throws 400 for a depth at which that would overflow the stack. */
export function rewritable(body: Buffer): Json {
  const value = record(jsonOf(body))
  if (pathBeyondDepth(value) !== null) throw fail('request.malformed', { detail: `${tooDeepMessage}.` })
  return value
}

export function requestFieldsOf(protocol: Protocol, body: Buffer, pathModel: string | null): RequestFields {
  const value = jsonOf(body)
  return isRecord(value) ? protocol.readRequest(value, pathModel) : { ...unknown, model: pathModel }
}
