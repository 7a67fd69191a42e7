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

export type Faults = Readonly<Record<string, string>>
type Read = { readonly params: ModelParams; readonly faults: Faults }

/**
 * Escapes are needed because a stop sequence is often a line break, which separates the entries of the field.
 */
const unescaped = (line: string): string => line.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
const escaped = (text: string): string => text.replaceAll('\n', '\\n').replaceAll('\t', '\\t')

function readValue({ kind }: Parameter, typed: string): unknown {
  if (kind === 'list')
    return typed
      .split('\n')
      .filter((line) => line !== '')
      .map(unescaped)
  return kind === 'choice' ? typed : Number(typed.replace('−', '-'))
}

/** Returns true if the parameter is set and applies to the provider. */
const applies = (name: string, typed: Readonly<Record<string, string>>, provider: string): boolean =>
  (typed[name] ?? '').trim() !== '' && (provider === offlineProvider || !name.startsWith('mock.'))

/**
 * Parses the parameters, and returns an error for each invalid one. Those of `mock` are ignored for other
 * providers.
 */
export function readParameters(typed: Readonly<Record<string, string>>, provider: string): Read {
  const params: Record<string, unknown> = {}
  const mock: Record<string, unknown> = {}
  const faults: Record<string, string> = {}
  for (const parameter of all.filter(({ name }) => applies(name, typed, provider))) {
    const { name, kind } = parameter
    const text = typed[name] ?? ''
    const value = readValue(parameter, kind === 'list' ? text : text.trim())
    const [, inner] = name.split('.')
    if (Number.isNaN(value)) faults[name] = t('playground:params.not_number')
    else if (inner !== undefined) mock[inner] = value
    else params[name] = value
  }
  const whole = Object.keys(mock).length === 0 ? params : { ...params, mock }
  const read = ModelParams.safeParse(whole)
  for (const { path, message } of read.error?.issues ?? []) {
    const name = path.filter((part) => typeof part === 'string').join('.')
    faults[name] ??= message
  }
  return { params: read.data ?? {}, faults }
}

/** Converts the parameters of a run to text; `unknown` lists those without a field. */
export function typedParameters(given: Readonly<Record<string, unknown>>): {
  readonly typed: Record<string, string>
  readonly unknown: readonly string[]
} {
  const typed: Record<string, string> = {}
  const unknown: string[] = []
  const take = (name: string, value: unknown): void => {
    if (value === null || value === undefined) return
    const parameter = all.find((one) => one.name === name)
    if (parameter === undefined) unknown.push(name)
    else if (Array.isArray(value)) typed[name] = value.map((one) => escaped(String(one))).join('\n')
    else typed[name] = String(value)
  }
  for (const [name, value] of Object.entries(given)) {
    if (name === 'mock' && typeof value === 'object' && value !== null) {
      for (const [inner, one] of Object.entries(value)) take(`mock.${inner}`, one)
    } else take(name, value)
  }
  return { typed, unknown }
}

/** Counts the parameters that are set and apply to the provider. */
export const countSetParameters = (typed: Readonly<Record<string, string>>, provider: string): number =>
  all.filter(({ name }) => applies(name, typed, provider)).length
