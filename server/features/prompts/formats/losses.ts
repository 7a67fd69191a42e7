import { chatTexts } from '../../../../contract/models/chat.ts'
import type { Loss, TransferFormat } from '../../../../contract/prompts/prompt-transfer.ts'
import { toDotprompt } from './dotprompt/dotprompt.ts'
import type { ExportedPrompt, Lose } from './exported.ts'
import { loseParams } from './openai-messages.ts'
import { toPromptfoo } from './promptfoo/write.ts'

/** Returns the fields of a prompt that a file of this format does not contain, or not unchanged. */
export function lossesOf(prompt: ExportedPrompt, format: TransferFormat): Loss[] {
  const losses = new Map<string, Loss>()
  const lose: Lose = (field, message) => losses.set(`${field} ${message}`, { field, message })
  if (prompt.draft !== undefined && !ownFormats.has(format))
    lose('draft', 'Only the published version is exported')
  finders[format]?.(prompt, lose)
  return [...losses.values()]
}

/** Formats that contain everything. */
const ownFormats: ReadonlySet<TransferFormat> = new Set(['json', 'yaml', 'markdown'])

const absent = 'The format has no such field'

const finders: Partial<Readonly<Record<TransferFormat, (prompt: ExportedPrompt, lose: Lose) => void>>> = {
  promptops(prompt, lose) {
    if (prompt.messages !== undefined) lose('messages', 'Exported as one text')
    if (Object.keys(prompt.params).length > 0) lose('params', absent)
    if (prompt.variables.length > 0) lose('variables', 'Only the names are exported')
  },
  openai(prompt, lose) {
    losePlaceholders(prompt, lose)
    loseParams(prompt.params, ['model', 'messages', 'metadata', 'stream'], lose)
  },
  langfuse(prompt, lose) {
    loseParams(prompt.params, ['model'], lose)
    if (prompt.name !== prompt.key) lose('name', 'The key is the name')
    if (prompt.description !== '') lose('description', absent)
    if (prompt.category !== null) lose('category', absent)
    if (prompt.variables.length > 0) lose('variables', 'Langfuse has no declarations of variables')
    if (prompt.version === null) lose('version', 'Exported as version 1')
    if (includesText(prompt)) lose('content', 'Langfuse does not know {{> …}}')
  },
  promptfoo: (prompt, lose) => void toPromptfoo(prompt, lose),
  dotprompt: (prompt, lose) => void toDotprompt(prompt, lose),
}

/** Reports placeholders of lists of messages, for a format that has none. */
function losePlaceholders({ messages = [] }: ExportedPrompt, lose: Lose): void {
  for (const [index, message] of messages.entries()) {
    if ('placeholder' in message) lose(`messages.${index}.placeholder`, 'Has the form of Langfuse')
  }
}

const includesText = ({ content, messages }: ExportedPrompt): boolean =>
  (messages === undefined ? [content] : chatTexts(messages)).some((text) => text.includes('{{>'))
