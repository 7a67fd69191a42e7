import { withoutInvisible } from '../../../../../contract/common/fields.ts'
import { isRecord } from '../../../../lib/values/is-record.ts'
import { member } from '../../../../resources/import-file.ts'
import type { RawItem } from '../../../../resources/transfer/files.ts'
import { scalarsIn } from '../dotprompt/variables.ts'
import { fromOpenAiMessage, fromOpenAiParams } from '../openai-messages.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns true if a document is a configuration of promptfoo. */
export function isPromptfoo(value: unknown): value is Fields {
  if (!isRecord(value) || member(value, 'format') === 'promptdeck') return false
  const prompts = member(value, 'prompts')
  if (typeof prompts === 'string') return true
  if (!Array.isArray(prompts)) return false
  const hasOtherParts = ['providers', 'targets', 'tests', 'defaultTest'].some(
    (name) => member(value, name) !== undefined,
  )
  return (
    hasOtherParts || prompts.some((item) => typeof item === 'string' || (isRecord(item) && 'raw' in item))
  )
}

export function fromPromptfoo(config: Fields, fileName: string): RawItem[] {
  const listed = member(config, 'prompts')
  const prompts: readonly unknown[] = Array.isArray(listed) ? listed : [listed]
  return prompts.map((prompt, index) => {
    const item: Fields = isRecord(prompt) ? prompt : { raw: prompt }
    return fromPrompt(config, item, keyOf(fileName, prompts.length === 1 ? null : index + 1))
  })
}

/** Parts of a configuration that this service has no place for. */
const ignored = ['scenarios', 'extensions', 'nunjucksFilters', 'derivedMetrics', 'outputPath']

function fromPrompt(config: Fields, item: Fields, fileKey: string): RawItem {
  const notes = new Set<string>()
  const label = String(member(item, 'label') ?? member(item, 'id') ?? '')
  const [, name = '', env] = /^(.*?)(?:@(dev|test|prod))?$/s.exec(label) ?? []
  const raw = textOf(member(item, 'raw') ?? member(item, 'id'), notes)
  noteTemplate(raw ?? '', notes)
  for (const field of ignored) if (member(config, field) !== undefined) notes.add(`${field}: left out`)
  const fields = {
    key: name === '' ? fileKey : asKey(name, notes),
    ...(name !== '' && { name: withoutInvisible(name).trim().slice(0, 200) }),
    env,
    ...contentOf(raw, notes),
    ...callOf(config, item, label, notes),
    variables: variablesOf(config, label, notes),
  }
  return { fields, notes: [...notes] }
}

function contentOf(raw: string | null, notes: Set<string>): Fields {
  const messages = raw === null ? null : messagesIn(raw)
  if (messages === null) return { type: 'text', content: raw ?? undefined }
  return { type: 'chat', messages: messages.map((message) => fromOpenAiMessage(message, notes)) }
}

const keyOf = (fileName: string, index: number | null): string => {
  const base = fileName
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\.(?:ya?ml|json)$/i, '')
    .replace(/\s+/g, '-')
  return index === null ? base : `${base}/${index}`
}

function asKey(name: string, notes: Set<string>): string {
  const key = name
    .trim()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, '-')
    .slice(0, 200)
  if (key !== name) notes.add('label: became the key')
  return key
}

/** Returns the text of a prompt; null if it is elsewhere. */
function textOf(raw: unknown, notes: Set<string>): string | null {
  if (raw === undefined || raw === null) return null
  if (typeof raw !== 'string') return JSON.stringify(raw)
  if (!/^(?:file|exec|https?):/.test(raw)) return raw
  notes.add('raw: the text is in another file; import that file')
  return null
}

/** Returns the messages of a chat that is written as JSON; null for other text. */
export function messagesIn(text: string): Fields[] | null {
  if (!/^\s*\[/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    const isChat = Array.isArray(value) && value.every((item) => isRecord(item) && 'role' in item)
    return isChat ? value : null
  } catch {
    return null
  }
}

function noteTemplate(text: string, notes: Set<string>): void {
  if (/\{%|\{#|\{\{(?!\s*[\w.]+\s*\}\}|>)/.test(text))
    notes.add('raw: expressions of Nunjucks stay in the text, and are not evaluated')
}

/** Returns the model and the parameters with which promptfoo calls a prompt. */
function callOf(config: Fields, item: Fields, label: string, notes: Set<string>): Fields {
  const listed = member(config, 'providers') ?? member(config, 'targets')
  const used = (Array.isArray(listed) ? listed : [listed])
    .flatMap((provider): Fields[] => (isRecord(provider) ? [provider] : [{ id: provider }]))
    .filter((provider) => appliesTo(provider, label))
  const [provider = {}] = used
  if (used.length > 1) notes.add('providers: only the first that uses this prompt is imported')
  const id = member(provider, 'id')
  const model = typeof id === 'string' ? providerPattern.exec(id)?.[1] : undefined
  if (id !== undefined && model === undefined) notes.add('providers: the ID names no model')
  const params = { ...recordAt(provider, 'config'), ...recordAt(item, 'config') }
  return { model, params: fromOpenAiParams(params, notes) }
}

const recordAt = (value: Fields, name: string): Fields => {
  const found = member(value, name)
  return isRecord(found) ? found : {}
}

const providerPattern =
  /^(?:(?:openai|anthropic|azure|ollama)(?::(?:chat|completion|messages|responses))?|google|vertex|mistral|groq|openrouter|bedrock):(.+)$/s

/** Returns true if a provider or a test is used for a prompt: all are, unless they name prompts. */
function appliesTo(part: Fields, label: string): boolean {
  const prompts = member(part, 'prompts')
  return !Array.isArray(prompts) || prompts.includes(label)
}

/** Returns the variables in the tests of a prompt. Values of the first test are examples. */
function variablesOf(config: Fields, label: string, notes: Set<string>): Fields[] {
  const variables = new Map<string, Fields>()
  const listed = member(config, 'tests')
  const tests = (Array.isArray(listed) ? listed : [])
    .filter(isRecord)
    .filter((test) => appliesTo(test, label))
  if (typeof listed === 'string') notes.add('tests: they are in another file')
  if (tests.length > 1) notes.add('tests: only values of the first test are imported')
  if (tests.some((test) => member(test, 'assert') !== undefined)) notes.add('tests: assertions are left out')
  collect(variables, recordAt(config, 'defaultTest'), 'default', notes)
  collect(variables, tests[0] ?? {}, 'example', notes)
  return [...variables.values()]
}

function collect(
  variables: Map<string, Fields>,
  test: Fields,
  field: 'default' | 'example',
  notes: Set<string>,
): void {
  for (const [name, value] of scalarsIn(recordAt(test, 'vars'), '', notes)) {
    const declared = variables.get(name) ?? { name, required: false, type: typeof value }
    variables.set(name, { ...declared, [field]: value })
  }
}
