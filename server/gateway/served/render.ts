import { fitsWhenRendered, render, variablesIn } from '../../../contract/formats/template.ts'
import { type ChatTemplate, chatPlaceholders, isPlaceholder } from '../../../contract/models/chat.ts'
import type { ChatMessage } from '../../../contract/models/models.ts'
import { maxRendered } from '../../calls/request/render-request.ts'
import { fail } from '../../lib/fail.ts'
import type { Json } from '../protocols/json.ts'
import type { PromptParts, ServedPrompt } from './served-prompt.ts'

/** A rendered prompt, and the same with its template in place of values, for the redacted run log. */
export type RenderedPrompt = {
  readonly parts: PromptParts
  readonly template: PromptParts
  /** Names of the variables that had a value. */
  readonly variables: readonly string[]
}

/**
 * Renders a prompt. The messages of the request come in the place of its placeholder, else after its messages. A text
 * is a user message; before messages of the request it is an instruction. Throws 400 for a missing value.
 */
export function renderPrompt(
  { content, messages, params, variables: declared }: ServedPrompt,
  {
    model,
    values,
    hasMessages,
  }: { readonly model: string; readonly values: Json; readonly hasMessages: boolean },
): RenderedPrompt {
  const role = hasMessages ? 'system' : 'user'
  const template: ChatTemplate = messages ?? [{ role, content }]
  const texts = template.flatMap((message) => (isPlaceholder(message) ? [] : [message.content]))
  if (!fitsWhenRendered(texts.join('\n'), values, declared, maxRendered))
    throw fail('request.malformed', { detail: 'With these variables the prompt would be larger than 1 MiB.' })
  const missing = new Set<string>()
  const rendered = template.map((message) => {
    if (isPlaceholder(message)) return message
    const { text, missing: names } = render(message.content, values, declared)
    for (const name of names) missing.add(name)
    return { ...message, content: text }
  })
  requireValues([...missing], declared)
  const used = [...new Set(texts.flatMap(variablesIn))].filter((name) => !missing.has(name))
  return {
    parts: { model, params, ...split(rendered) },
    template: { model, params, ...split(template) },
    variables: used,
  }
}

function requireValues(missing: readonly string[], declared: ServedPrompt['variables']): void {
  const optional = new Set(declared.filter(({ required }) => required === false).map(({ name }) => name))
  const names = missing.filter((name) => !optional.has(name))
  if (names.length > 0)
    throw fail('request.malformed', {
      detail: `The prompt needs a value for ${names.map((name) => `{{${name}}}`).join(', ')}: send it in promptdeck_variables.`,
    })
}

/** Splits a prompt at its placeholder. */
function split(template: ChatTemplate): { before: readonly ChatMessage[]; after: readonly ChatMessage[] } {
  const names = chatPlaceholders(template)
  if (names.length > 1)
    throw fail('request.malformed', {
      detail: `The prompt has ${names.length} placeholders for messages, and a request has one list. Keep one.`,
    })
  const at = template.findIndex(isPlaceholder)
  const chat = (part: ChatTemplate) => part.flatMap((message) => (isPlaceholder(message) ? [] : [message]))
  return at === -1
    ? { before: chat(template), after: [] }
    : { before: chat(template.slice(0, at)), after: chat(template.slice(at)) }
}
