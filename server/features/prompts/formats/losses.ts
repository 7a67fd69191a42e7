import { chatTexts } from '../../../../contract/models/chat.ts'
import type { Loss, TransferFormat } from '../../../../contract/prompts/prompt-transfer.ts'
import { toDotprompt } from './dotprompt/dotprompt.ts'
import type { ExportedPrompt, OnLoss } from './exported.ts'
import { reportParams } from './openai-messages.ts'
import { toPromptfoo } from './promptfoo/write.ts'

/** Returns the fields of a prompt that a file of this format does not contain, or not unchanged. */
export function lossesOf(prompt: ExportedPrompt, format: TransferFormat): Loss[] {
  const losses = new Map<string, Loss>()
  const onLoss: OnLoss = (field, message) => losses.set(`${field} ${message}`, { field, message })
  if (prompt.draft !== undefined && !ownFormats.has(format))
    onLoss('draft', 'Only the published version is exported')
  finders[format]?.(prompt, onLoss)
  return [...losses.values()]
}

/** Formats that contain everything. */
const ownFormats: ReadonlySet<TransferFormat> = new Set(['json', 'yaml', 'markdown'])

const absent = 'The format has no such field'

const finders: Partial<Readonly<Record<TransferFormat, (prompt: ExportedPrompt, onLoss: OnLoss) => void>>> = {
  promptops(prompt, onLoss) {
    if (prompt.messages !== undefined) onLoss('messages', 'Exported as one text')
    if (Object.keys(prompt.params).length > 0) onLoss('params', absent)
    if (prompt.variables.length > 0) onLoss('variables', 'Only the names are exported')
  },
  openai(prompt, onLoss) {
    reportPlaceholders(prompt, onLoss)
    reportParams(prompt.params, ['model', 'messages', 'metadata', 'stream'], onLoss)
  },
  langfuse(prompt, onLoss) {
    reportParams(prompt.params, ['model'], onLoss)
    if (prompt.name !== prompt.key) onLoss('name', 'The key is the name')
    if (prompt.description !== '') onLoss('description', absent)
    if (prompt.category !== null) onLoss('category', absent)
    if (prompt.variables.length > 0) onLoss('variables', 'Langfuse has no declarations of variables')
    if (prompt.version === null) onLoss('version', 'Exported as version 1')
    if (includesText(prompt)) onLoss('content', 'Langfuse does not know {{> …}}')
  },
  promptfoo: (prompt, onLoss) => void toPromptfoo(prompt, onLoss),
  dotprompt: (prompt, onLoss) => void toDotprompt(prompt, onLoss),
}

/** Reports placeholders of lists of messages, for a format that has none. */
function reportPlaceholders({ messages = [] }: ExportedPrompt, onLoss: OnLoss): void {
  for (const [index, message] of messages.entries()) {
    if ('placeholder' in message) onLoss(`messages.${index}.placeholder`, 'Has the form of Langfuse')
  }
}

const includesText = ({ content, messages }: ExportedPrompt): boolean =>
  (messages === undefined ? [content] : chatTexts(messages)).some((text) => text.includes('{{>'))
