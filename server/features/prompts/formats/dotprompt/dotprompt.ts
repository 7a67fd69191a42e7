import type { PromptMessage } from '../../../../../contract/prompts/prompt-chat.ts'
import type { PromptParams } from '../../../../../contract/prompts/prompt-params.ts'
import { isRecord } from '../../../../lib/values/is-record.ts'
import { member, parseYaml, UnreadableFile } from '../../../../resources/import-file.ts'
import type { RawItem } from '../../../../resources/transfer/files.ts'
import { yamlOf } from '../../../../resources/yaml-list.ts'
import type { ExportedPrompt, OnLoss } from '../exported.ts'
import { fromOpenAiParams, reportParams } from '../openai-messages.ts'
import { fromHandlebars, type Part, toHandlebars } from './template.ts'
import { fromInput, toInput } from './variables.ts'

type Fields = Readonly<Record<string, unknown>>

/** Names of parameters in dotprompt, by name in this service. */
const configNames = {
  max_output_tokens: 'maxOutputTokens',
  top_p: 'topP',
  top_k: 'topK',
  stop: 'stopSequences',
} as const
const renamed = Object.entries(configNames)
const paramNames = new Map<string, string>(renamed.map(([ours, theirs]) => [theirs, ours]))

/** Returns the name of a field of the front matter. Dotprompt reserves names with a dot for extensions. */
const extension = (name: string): string => `promptdeck.${name}`

/** Returns a prompt as a dotprompt file: front matter, and a template of Handlebars with `{{role "…"}}`. */
export function toDotprompt(prompt: ExportedPrompt, onLoss: OnLoss): string {
  const { key, env, name, description, category, tags, model, version } = prompt
  const input = toInput(prompt.variables, onLoss)
  const matter = {
    name: key,
    ...(description !== '' && { description }),
    ...(model !== null && { model }),
    ...paramsOf(prompt.params, onLoss),
    ...(Object.keys(input).length > 0 && { input }),
    [extension('env')]: env,
    ...(name !== key && { [extension('name')]: name }),
    ...(category !== null && { [extension('category')]: category }),
    ...(tags.length > 0 && { [extension('tags')]: tags }),
    [extension('type')]: prompt.type,
    [extension('version')]: version,
  }
  const text =
    prompt.messages === undefined ? textOf(prompt.content, onLoss) : chatOf(prompt.messages, onLoss)
  return `---\n${yamlOf(matter)}---\n${text}`
}

/** Protects spaces around a template from readers. A single comment would be removed with its line. */
function textOf(content: string, onLoss: OnLoss): string {
  const guard = '{{!}}{{!}}'
  return `${/^\s/.test(content) ? guard : ''}${toHandlebars(content, onLoss)}${/\s$/.test(content) ? guard : ''}`
}

const roles: Readonly<Record<string, string>> = { system: 'system', user: 'user', assistant: 'model' }

function chatOf(messages: readonly PromptMessage[], onLoss: OnLoss): string {
  let hasHistory = false
  return messages
    .map((message, index) => {
      const at = `messages.${index}`
      if ('placeholder' in message) {
        if (message.placeholder !== 'history' || hasHistory) {
          onLoss(
            at,
            `The placeholder ${message.placeholder} is not exported: dotprompt has only the placeholder history`,
          )
          return ''
        }
        hasHistory = true
        return '{{history}}\n'
      }
      const role = roles[message.role]
      if (role === undefined) {
        onLoss(at, 'Messages of tools are left out')
        return ''
      }
      if (message.role === 'assistant' && message.tool_calls !== undefined)
        onLoss(`${at}.tool_calls`, 'Calls of tools are left out')
      return `{{role "${role}"}}\n${toHandlebars(message.content, (_, text) => onLoss(`${at}.content`, text))}\n`
    })
    .join('')
}

function paramsOf({ tools, response_format: format, ...params }: PromptParams, onLoss: OnLoss): Fields {
  reportParams(params, [], onLoss)
  const config = Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => {
      if (paramNames.has(name)) {
        onLoss(`params.${name}`, 'Has the name of another parameter in dotprompt')
        return []
      }
      return [
        [Object.hasOwn(configNames, name) ? configNames[name as keyof typeof configNames] : name, value],
      ]
    }),
  )
  if (format?.type === 'json_schema') {
    const { name, description, strict } = format.json_schema
    if (name !== 'output' || description !== undefined || strict !== undefined)
      onLoss('params.response_format', 'Only its schema is exported')
    if (!isObjectSchema(format.json_schema.schema))
      onLoss('params.response_format', 'A schema without properties is read as another format')
  }
  return {
    ...(Object.keys(config).length > 0 && { config }),
    ...(tools !== undefined && {
      toolDefs: tools.map(({ name, description, parameters }) => ({
        name,
        description,
        inputSchema: parameters,
      })),
    }),
    ...(format !== undefined && { output: outputOf(format) }),
  }
}

const outputOf = (format: NonNullable<PromptParams['response_format']>): Fields => {
  if (format.type === 'json_schema') return { format: 'json', schema: format.json_schema.schema }
  return { format: format.type === 'text' ? 'text' : 'json' }
}

const isObjectSchema = (schema: unknown): boolean =>
  isRecord(schema) && isRecord(member(schema, 'properties'))

/** Fields of the front matter that are read. */
const known = ['name', 'description', 'model', 'config', 'input', 'output', 'toolDefs']

/** Reads a dotprompt file. Without a name in it, the name of the file is the key. */
export function fromDotprompt(text: string, fileName: string): RawItem {
  const notes = new Set<string>()
  const { matter, template } = split(text)
  const ours = (name: string): unknown => member(matter, extension(name))
  const isOwn = ours('env') !== undefined
  for (const field of Object.keys(matter)) {
    if (!known.includes(field) && !field.startsWith('promptdeck.'))
      notes.add(`${field.slice(0, 60)}: left out, because this service has no such field`)
  }
  const key = member(matter, 'name') ?? keyOf(fileName)
  // Keep the spaces at the end of the last message of a chat that this service exported. Others are layout.
  const isExportedChat = ours('type') === 'chat'
  const parts = fromHandlebars(isExportedChat ? template.trimStart() : template.trim(), notes)
  const isChat = isExportedChat || parts.some(({ kind }) => kind !== 'text')
  const fields = {
    key,
    name: ours('name') ?? key,
    env: ours('env'),
    description: member(matter, 'description') ?? '',
    category: ours('category'),
    tags: ours('tags') ?? [],
    // Null marks a draft, which an import does not publish.
    ...(isOwn && { version: ours('version') ?? null }),
    model: isOwn ? member(matter, 'model') : modelOf(member(matter, 'model'), notes),
    ...(isChat ? { type: 'chat', messages: messagesOf(parts) } : { type: 'text', content: joined(parts) }),
    params: fromConfig(matter, notes),
    variables: fromInput(member(matter, 'input'), notes),
  }
  return { fields, notes: [...notes] }
}

/** Returns front matter and template. The front matter is optional. */
function split(text: string): { readonly matter: Fields; readonly template: string } {
  const lines = (/^[^\r\n]*\n/.test(text) ? text : text.replace(/\r\n?/g, '\n')).split('\n')
  const open = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'))
  if (lines[open]?.trimEnd() !== '---') return { matter: {}, template: text }
  const close = lines.findIndex((line, index) => index > open && line.trimEnd() === '---')
  if (close === -1) throw new UnreadableFile(`The front matter that begins in line ${open + 1} does not end`)
  const [matter] = parseYaml(lines.slice(open + 1, close).join('\n'))
  if (matter !== null && matter !== undefined && !isRecord(matter))
    throw new UnreadableFile('The front matter is not a mapping')
  return { matter: isRecord(matter) ? matter : {}, template: lines.slice(close + 1).join('\n') }
}

const keyOf = (fileName: string): string =>
  fileName
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\.prompt$/i, '')
    .replace(/\s+/g, '-')

/** A prefix of a model name with which Genkit selects the provider. */
const modelPrefix = /^(?:googleai|vertexai|openai|anthropic|ollama)\//

function modelOf(model: unknown, notes: Set<string>): unknown {
  if (typeof model !== 'string' || !modelPrefix.test(model)) return model
  notes.add(`model: the provider in ${model.slice(0, 60)} is left out`)
  return model.replace(modelPrefix, '')
}

const joined = (parts: readonly Part[]): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')

/** Returns the messages. A line break after a role, and one before the next, belong to the layout of the file. */
function messagesOf(parts: readonly Part[]): unknown[] {
  const messages: { role?: string; content?: string; placeholder?: string }[] = []
  for (const part of parts) {
    const last = messages.at(-1)
    if (part.kind === 'history') messages.push({ placeholder: 'history' })
    else if (part.kind === 'role')
      messages.push({ role: part.role === 'model' ? 'assistant' : part.role, content: '' })
    else if (last?.content !== undefined) last.content += part.text
    else if (part.text.trim() !== '')
      messages.push({ role: last === undefined ? 'user' : 'assistant', content: part.text })
  }
  return messages.map((message) =>
    message.content === undefined ? message : { ...message, content: trimLine(message.content) },
  )
}

const trimLine = (content: string): string => content.replace(/^\n/, '').replace(/\n$/, '')

function fromConfig(matter: Fields, notes: Set<string>): unknown {
  const config = member(matter, 'config')
  const named = Object.fromEntries(
    Object.entries(isRecord(config) ? config : {}).map(([name, value]) => [
      paramNames.get(name) ?? name,
      value,
    ]),
  )
  const definitions = member(matter, 'toolDefs')
  const tools = Array.isArray(definitions) ? definitions.filter(isRecord).map(toolOf) : undefined
  const format = formatOf(member(matter, 'output'), notes)
  return fromOpenAiParams(
    { ...named, ...(tools && { tools }), ...(format && { response_format: format }) },
    notes,
  )
}

const toolOf = (tool: Fields): Fields => ({
  name: member(tool, 'name'),
  description: member(tool, 'description'),
  parameters: member(tool, 'inputSchema'),
})

function formatOf(output: unknown, notes: Set<string>): Fields | null {
  if (!isRecord(output)) return null
  const [format, schema] = [member(output, 'format'), member(output, 'schema')]
  if (isObjectSchema(schema)) return { type: 'json_schema', json_schema: { name: 'output', schema } }
  if (schema !== undefined)
    notes.add('output.schema: only JSON Schema is imported, so the output is any JSON')
  if (format === 'json' || schema !== undefined) return { type: 'json_object' }
  if (format === 'text') return { type: 'text' }
  if (format !== undefined) notes.add('output.format: left out')
  return null
}
