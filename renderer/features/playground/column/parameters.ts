import { ModelParams, offlineProvider } from '../../../../contract/models/models.ts'
import { t } from '../../../lib/i18n.ts'

type Kind = 'number' | 'integer' | 'list' | 'choice'
export type Parameter = {
  readonly name: string
  readonly kind: Kind
  readonly choices?: readonly string[]
  readonly placeholder?: string
}

/** In display order. Parameters that start with `mock.` are for the provider `mock` only. */
export const parameters: readonly Parameter[] = [
  { name: 'temperature', kind: 'number', placeholder: '0–2' },
  { name: 'top_p', kind: 'number', placeholder: '0–1' },
  { name: 'top_k', kind: 'integer' },
  { name: 'max_output_tokens', kind: 'integer' },
  { name: 'seed', kind: 'integer' },
  { name: 'frequency_penalty', kind: 'number', placeholder: '−2–2' },
  { name: 'presence_penalty', kind: 'number', placeholder: '−2–2' },
  { name: 'timeout_ms', kind: 'integer', placeholder: 'ms' },
  { name: 'tool_choice', kind: 'choice', choices: ['auto', 'none', 'required'] },
  { name: 'stop', kind: 'list' },
]
export const mockParameters: readonly Parameter[] = [
  { name: 'mock.first_token_ms', kind: 'integer', placeholder: 'ms' },
  { name: 'mock.tokens_per_second', kind: 'number' },
  { name: 'mock.fail', kind: 'choice', choices: ['start', 'middle', 'stall'] },
]
const all = [...parameters, ...mockParameters]

export type FieldErrors = Readonly<Record<string, string>>
type ParsedParameters = { readonly params: ModelParams; readonly errors: FieldErrors }

/**
 * Escapes are needed because a stop sequence is often a line break, which separates the entries of the field.
 */
const unescaped = (line: string): string => line.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
const escaped = (text: string): string => text.replaceAll('\n', '\\n').replaceAll('\t', '\\t')

function parseValue({ kind }: Parameter, typed: string): unknown {
  if (kind === 'list')
    return typed
      .split('\n')
      .filter((line) => line !== '')
      .map(unescaped)
  return kind === 'choice' ? typed : Number(typed.replace('−', '-'))
}

const applies = (name: string, typed: Readonly<Record<string, string>>, provider: string): boolean =>
  (typed[name] ?? '').trim() !== '' && (provider === offlineProvider || !name.startsWith('mock.'))

/**
 * Parses the parameters, and returns an error for each invalid one. Those of `mock` are ignored for other
 * providers.
 */
export function parseParameters(typed: Readonly<Record<string, string>>, provider: string): ParsedParameters {
  const params: Record<string, unknown> = {}
  const mock: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const parameter of all.filter(({ name }) => applies(name, typed, provider))) {
    const { name, kind } = parameter
    const text = typed[name] ?? ''
    const value = parseValue(parameter, kind === 'list' ? text : text.trim())
    const [, inner] = name.split('.')
    if (Number.isNaN(value)) errors[name] = t('playground:params.not_number')
    else if (inner !== undefined) mock[inner] = value
    else params[name] = value
  }
  const allParams = Object.keys(mock).length === 0 ? params : { ...params, mock }
  const parsed = ModelParams.safeParse(allParams)
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = path.filter((part) => typeof part === 'string').join('.')
    errors[name] ??= message
  }
  return { params: parsed.data ?? {}, errors }
}

/** Converts the parameters of a run to text; `unknown` lists those without a field. */
export function typedParameters(params: Readonly<Record<string, unknown>>): {
  readonly typed: Record<string, string>
  readonly unknown: readonly string[]
} {
  const typed: Record<string, string> = {}
  const unknown: string[] = []
  const add = (name: string, value: unknown): void => {
    if (value === null || value === undefined) return
    const parameter = all.find((candidate) => candidate.name === name)
    if (parameter === undefined) unknown.push(name)
    else if (Array.isArray(value)) typed[name] = value.map((item) => escaped(String(item))).join('\n')
    else typed[name] = String(value)
  }
  for (const [name, value] of Object.entries(params)) {
    if (name === 'mock' && typeof value === 'object' && value !== null) {
      for (const [inner, innerValue] of Object.entries(value)) add(`mock.${inner}`, innerValue)
    } else add(name, value)
  }
  return { typed, unknown }
}

/** Counts the parameters that are set and apply to the provider. */
export const countSetParameters = (typed: Readonly<Record<string, string>>, provider: string): number =>
  all.filter(({ name }) => applies(name, typed, provider)).length
