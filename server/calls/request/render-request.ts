import type { FieldError } from '../../../contract/common/problem.ts'
import { fitsWhenRendered, render, variablesIn } from '../../../contract/formats/template.ts'
import {
  type ChatTemplate,
  chatFitsWhenRendered,
  chatText,
  chatVariables,
  renderChat,
} from '../../../contract/models/chat.ts'
import type { ChatMessage } from '../../../contract/models/models.ts'
import { isEmptyPrompt, toolCallFindings } from '../../../contract/prompts/prompt-chat.ts'
import type { CallRequest } from './call.ts'

/**
 * Maximum length of a rendered prompt in UTF-16 code units. A short template with many variables can otherwise need more
 * memory than there is.
 */
export const maxRendered = 1024 * 1024

export type RenderedRequest = {
  /** The prompt as one text. */
  readonly text: string
  /** The messages of the prompt. */
  readonly messages: readonly ChatMessage[]
  /** Names of the variables that had a value. */
  readonly variables: readonly string[]
  readonly findings: readonly FieldError[]
}

export function renderRequest(request: CallRequest): RenderedRequest {
  const { template, variables, declared } = request
  if (typeof template !== 'string') return renderMessages(request, template)
  const isSmall = fitsWhenRendered(template, variables, declared, maxRendered)
  const { text, missing } = isSmall ? render(template, variables, declared) : { text: template, missing: [] }
  const findings = valueFindings(request, missing, isSmall)
  if (text.trim() === '') findings.push({ path: 'content', message: 'The text is empty' })
  const messages = [{ role: 'user' as const, content: text }]
  return { text, messages, variables: withValue(variablesIn(template), missing), findings }
}

function renderMessages(request: CallRequest, template: ChatTemplate): RenderedRequest {
  const { variables, declared, placeholders } = request
  const isSmall = chatFitsWhenRendered(template, variables, declared, maxRendered)
  const { messages, missing } = renderChat(isSmall ? template : [], variables, declared, placeholders)
  const findings = valueFindings(request, missing, isSmall)
  if (isSmall && isEmptyPrompt('', messages))
    findings.push({ path: 'messages', message: 'There is no message with a text' })
  for (const { path, message } of toolCallFindings(messages))
    findings.push({ path: `messages.${path}`, message })
  return {
    text: chatText(messages),
    messages,
    variables: withValue(chatVariables(template), missing),
    findings,
  }
}

const withValue = (names: readonly string[], missing: readonly string[]): string[] =>
  names.filter((name) => !missing.includes(name))

/** Returns the errors in the values: required ones that are missing, or too much text. */
function valueFindings(
  { declared }: CallRequest,
  missing: readonly string[],
  isSmall: boolean,
): FieldError[] {
  const optional = new Set(declared.filter(({ required }) => required === false).map(({ name }) => name))
  const findings = [...new Set(missing)]
    .filter((name) => !optional.has(name))
    .map((name) => ({ path: `variables.${name}`, message: `{{${name}}} has no value` }))
  if (!isSmall)
    findings.unshift({ path: 'variables', message: 'With these values the text would be larger than 1 MiB' })
  return findings
}
