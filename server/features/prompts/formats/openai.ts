import { isRecord } from '../../../lib/values/is-record.ts'
import { member } from '../../../resources/import-file.ts'
import type { RawItem } from '../../../resources/transfer/files.ts'
import type { ExportedPrompt } from './exported.ts'
import { fromOpenAiMessage, fromOpenAiParams, toOpenAiMessage, toOpenAiParams } from './openai-messages.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns a prompt as the body of a chat completion. `metadata`, whose values are strings, has the fields that
 * OpenAI does not know.
 */
export function toOpenAi(prompt: ExportedPrompt): Fields {
  const { key, env, name, description, category, tags, model, version, variables, type } = prompt
  const messages = prompt.messages ?? [{ role: 'user' as const, content: prompt.content }]
  const metadata = {
    key,
    env,
    name,
    type,
    ...(description !== '' && { description }),
    ...(category !== null && { category }),
    ...(tags.length > 0 && { tags: tags.join(',') }),
    ...(version !== null && { version }),
    ...(variables.length > 0 && { variables: JSON.stringify(variables) }),
  }
  return {
    ...(model !== null && { model }),
    messages: messages.map(toOpenAiMessage),
    ...toOpenAiParams(prompt.params),
    metadata,
  }
}

/** Returns true if an item has the format of OpenAI. Promptdeck's own items have a key. */
export const isOpenAi = (item: Fields): boolean =>
  Array.isArray(member(item, 'messages')) &&
  member(item, 'content') === undefined &&
  member(item, 'key') === undefined

/** Reads the body of a chat completion. Without a key in its metadata, the name of the file is the key. */
export function fromOpenAi(item: Fields, fileName: string): RawItem {
  const { model, messages, metadata, stream: _stream, ...params } = item
  const notes = new Set<string>()
  const details: Fields = isRecord(metadata) ? metadata : {}
  const read = Array.isArray(messages)
    ? messages.map((message) => fromOpenAiMessage(message, notes))
    : messages
  const text = member(details, 'type') === 'text' ? onlyText(read) : null
  const { type: _type, variables, version, ...known } = details
  const fields = {
    key: fileName.replace(/\.json$/i, '').replace(/\s+/g, '-'),
    ...known,
    // Null marks a draft, which an import does not publish.
    ...(isRecord(metadata) && { version: version ?? null }),
    model,
    ...(text === null ? { type: 'chat', messages: read } : { type: 'text', content: text }),
    params: fromOpenAiParams(params, notes),
    ...(typeof variables === 'string' && { variables: parsedList(variables) }),
  }
  return { fields, notes: [...notes] }
}

/** Returns the content of the only message; null if there are more. */
function onlyText(messages: unknown): string | null {
  const [message, ...more] = Array.isArray(messages) ? messages : []
  const content = isRecord(message) && more.length === 0 ? message['content'] : null
  return typeof content === 'string' ? content : null
}

function parsedList(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
