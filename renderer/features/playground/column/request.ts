import type { z } from 'zod'
import { variablesIn } from '../../../../contract/formats/template.ts'
import { chatPlaceholders, chatVariables } from '../../../../contract/models/chat.ts'
import { type ChatMessage, ChatMessages, offlineProvider } from '../../../../contract/models/models.ts'
import type { ProviderChoice } from '../../../../contract/models/provider-choice.ts'
import type { PlaygroundBody } from '../../../../contract/playground/playground.ts'
import type { Prompt, Variable } from '../../../../contract/prompts/prompt.ts'
import type { PromptMessage } from '../../../../contract/prompts/prompt-chat.ts'
import type { PromptParams } from '../../../../contract/prompts/prompt-params.ts'
import { t } from '../../../lib/i18n.ts'
import { parseSchema, parseTools } from '../input/json.ts'
import { type Column, type Setup, sentMessage } from '../playground.state.ts'
import { type FieldErrors, parseParameters } from './parameters.ts'

/** A draft or version of a prompt, as stored by the service. */
export type Base = {
  readonly id: string
  readonly workspaceId: string
  readonly version: string
  readonly content: string
  /** The messages of a chat; null for a text. */
  readonly messages: readonly PromptMessage[] | null
  readonly params: PromptParams
  readonly variables: readonly Variable[]
  /** Variables of the prompts that it includes. */
  readonly included: readonly Variable[]
}

/** The text that a column sends: `base` is the draft or version of a prompt, or null for other text. */
export type RunText = {
  readonly content: string
  /** The messages of a chat; null for a text. */
  readonly messages: readonly PromptMessage[] | null
  readonly params: PromptParams
  readonly declared: readonly Variable[]
  readonly base: Base | null
}

/**
 * Returns the provider of a column: the chosen one, otherwise the first that can be called; `mock` only if no
 * other can.
 */
export function providerOf(
  column: Pick<Column, 'provider'>,
  choices: readonly ProviderChoice[],
): ProviderChoice | undefined {
  if (column.provider !== '') return choices.find(({ name }) => name === column.provider)
  const callable = choices.filter((choice) => choice.configured && choice.default_model !== null)
  return callable.find(({ name }) => name !== offlineProvider) ?? callable[0] ?? choices[0]
}

/** Returns a value as JSON with sorted keys, for comparison. */
const serialize = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** Returns true if the setup has the text or messages of `base`. */
export const hasTextOf = (
  { content, chat }: Pick<Setup, 'content' | 'chat'>,
  base: Pick<Base, 'content' | 'messages'>,
): boolean =>
  chat === null || base.messages === null
    ? chat === base.messages && content === base.content
    : serialize(chat) === serialize(base.messages)

/** Returns true if the setup has the text and the parameters of `base`. */
export const isUnedited = (setup: Setup, base: Base): boolean =>
  hasTextOf(setup, base) && serialize(setup.params) === serialize(base.params)

/** Returns true if apps are served the text of the setup as the prompt that it came from. */
export const isServed = (setup: Setup, prompt: Pick<Prompt, 'served'> | undefined): boolean =>
  setup.subject !== null && prompt?.served != null && hasTextOf(setup, prompt.served)

export const textOfBase = (base: Base): RunText => {
  const { content, messages, params, variables, included } = base
  return { content, messages, params, declared: [...variables, ...included], base }
}

/** Returns the text to run. Unedited text runs as the prompt; edited text runs without one. */
export const textOf = (setup: Setup, base: Base | null): RunText => {
  if (base !== null && isUnedited(setup, base)) return textOfBase(base)
  const { content, chat, params, declared } = setup
  return { content, messages: chat, params, declared, base: null }
}

/** Returns the variables that a run of a prompt needs for its includes. */
export const includedNames = (base: Base | null): readonly string[] =>
  (base?.included ?? []).filter(({ used }) => used).map(({ name }) => name)

/** Returns the names that need a value: variables, and placeholders of a chat. */
export const namesIn = ({ content, messages }: Pick<RunText, 'content' | 'messages'>): readonly string[] =>
  messages === null ? variablesIn(content) : [...chatVariables(messages), ...chatPlaceholders(messages)]

/** Converts a typed value to the type of the variable, or returns an error message. */
function parseValue(
  typed: string,
  type: Variable['type'] | undefined,
): { value: unknown; error: string | null } {
  if (type === 'number') {
    const value = Number(typed)
    return Number.isFinite(value)
      ? { value, error: null }
      : { value: null, error: t('playground:values.number') }
  }
  if (type === 'boolean') return { value: typed === 'true', error: null }
  if (type !== 'json') return { value: typed, error: null }
  try {
    return { value: JSON.parse(typed) as unknown, error: null }
  } catch {
    return { value: null, error: t('playground:values.json') }
  }
}

type RequestValues = {
  readonly variables: Record<string, unknown>
  /** Lists of messages by the name of their placeholder in a chat. */
  readonly placeholders: Record<string, ChatMessage[]>
  readonly errors: FieldErrors
}

/** Parses the JSON of a list of messages; no text is no message. Returns null if it is not valid. */
function parseMessages(typed: string): ChatMessage[] | null {
  if (typed.trim() === '') return []
  try {
    return ChatMessages.safeParse(JSON.parse(typed)).data ?? null
  } catch {
    return null
  }
}

/** Returns the messages to insert into a chat, and an error for each list that is not valid. */
function placeholdersFor(messages: readonly PromptMessage[], typed: Setup['values']) {
  const placeholders: Record<string, ChatMessage[]> = {}
  const errors: Record<string, string> = {}
  for (const name of chatPlaceholders(messages)) {
    const parsed = parseMessages(typed[name] ?? '')
    if (parsed === null) errors[name] = t('playground:values.messages')
    else placeholders[name] = parsed
  }
  return { placeholders, errors }
}

/** Returns the values to send for a text, and an error for each missing or invalid one. */
export function valuesFor(
  { content, messages, declared, base }: RunText,
  typed: Setup['values'],
): RequestValues {
  const variables: Record<string, unknown> = {}
  const { placeholders, errors } = placeholdersFor(messages ?? [], typed)
  const own = messages === null ? variablesIn(content) : chatVariables(messages)
  const names = new Set([...own, ...includedNames(base)])
  for (const name of names) {
    const declaration = declared.find((variable) => variable.name === name && variable.declared)
    const text = typed[name] ?? ''
    const { value, error } =
      text === '' ? valueIfMissing(name, declaration) : parseValue(text, declaration?.type)
    if (error !== null) errors[name] = error
    // The service fills in what is missing for stored prompts only.
    else if (text !== '' || base === null) variables[name] = value
  }
  return { variables, placeholders, errors }
}

/**
 * Returns the value to send if none was typed: the default, else the placeholder itself, as in stored
 * prompts. Values are not parsed as templates, so the placeholder is sent as text.
 */
function valueIfMissing(
  name: string,
  declaration: Variable | undefined,
): { value: unknown; error: string | null } {
  if (declaration !== undefined && declaration.default !== null)
    return { value: declaration.default, error: null }
  if (declaration !== undefined && !declaration.required) return { value: `{{${name}}}`, error: null }
  return { value: null, error: t('playground:values.missing') }
}

/** Returns the reason why a column cannot run; null if it can. */
export function columnDisabledReason(column: Column, choice: ProviderChoice | undefined): string | null {
  if (choice === undefined) return t('playground:column.no_provider', { name: column.provider })
  if (!choice.configured)
    return choice.reason ?? t('playground:column.not_configured', { name: choice.label })
  if (column.model.trim() === '' && choice.default_model === null) return t('playground:column.no_model')
  const names = Object.keys(parseParameters(column.params, choice.name).errors)
  return names.length === 0 ? null : t('playground:column.bad_params', { names: names.join(', ') })
}

type Body = z.input<typeof PlaygroundBody>

/**
 * Returns the messages to send, and the lists for their placeholders. The messages before an edited chat are
 * sent through a placeholder, because those of the chat are rendered.
 */
function messagesFor(setup: Setup, text: RunText, placeholders: RequestValues['placeholders']) {
  const before = setup.messages.map(sentMessage)
  if (text.base !== null || text.messages === null) return { messages: before, placeholders }
  if (before.length === 0) return { messages: [...text.messages], placeholders }
  let placeholder = 'before'
  while (Object.hasOwn(placeholders, placeholder)) placeholder += '_'
  return {
    messages: [{ placeholder }, ...text.messages],
    placeholders: { ...placeholders, [placeholder]: before },
  }
}

/** Returns the fields that name the prompt to run, or that have the edited text. */
function sourceFields({ base, content, messages, params }: RunText, workspace: string): Partial<Body> {
  if (base !== null) return { id: base.id, version: base.version === 'draft' ? 'draft' : base.version }
  return {
    ...(messages === null && { content }),
    workspace_id: workspace,
    ...(Object.keys(params).length > 0 && { prompt_params: params }),
  }
}

/** Returns the request body of a column. The setup must have passed `checkSetup`. */
export function bodyOf(
  setup: Setup,
  column: Column,
  provider: string,
  text: RunText,
  workspace: string,
): Body {
  const schema = parseSchema(setup.schema).value
  const tools = parseTools(setup.tools).value
  const { variables, placeholders: lists } = valuesFor(text, setup.values)
  const { messages, placeholders } = messagesFor(setup, text, lists)
  return {
    ...sourceFields(text, workspace),
    provider,
    ...(column.model.trim() === '' ? {} : { model: column.model.trim() }),
    params: parseParameters(column.params, provider).params,
    messages,
    tools: [...(tools ?? [])],
    ...(schema === null ? {} : { response_schema: schema }),
    variables,
    ...(Object.keys(placeholders).length > 0 && { placeholders }),
    ...(setup.capture === null ? {} : { capture: setup.capture }),
  }
}
