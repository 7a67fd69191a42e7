import type { PromptMessage } from '../../../../../contract/prompts/prompt-chat.ts'
import { writeYamlItems, yamlOf } from '../../../../resources/yaml-list.ts'
import type { ExportedPrompt, OnLoss } from '../exported.ts'
import { reportParams, toOpenAiMessage, toOpenAiParams } from '../openai-messages.ts'
import { messagesIn } from './read.ts'

type Fields = Readonly<Record<string, unknown>>
type Declaration = ExportedPrompt['variables'][number]
/** The parts of a configuration of promptfoo that describe one prompt. */
type Parts = { readonly prompt: Fields; readonly provider: Fields | null; readonly test: Fields | null }

const absent = 'The format has no such field'

/** Returns a prompt as parts of a configuration of promptfoo. Its label is `<key>@<env>`. */
export function toPromptfoo(prompt: ExportedPrompt, onLoss: OnLoss): Parts {
  const { key, env, content, messages, params, model } = prompt
  const label = `${key}@${env}`
  reportFields(prompt, onLoss)
  const config = toOpenAiParams(params)
  const provider = providerOf(model)
  if (model !== null && provider === null) onLoss('model', 'Its provider in promptfoo is not known')
  const vars = varsOf(prompt.variables, onLoss)
  return {
    prompt: {
      label,
      raw: messages === undefined ? content : JSON.stringify(chatOf(messages, onLoss), null, 2),
      ...(Object.keys(config).length > 0 && { config }),
    },
    provider: provider === null ? null : { id: provider, label: `${provider} ${label}`, prompts: [label] },
    test: vars.size === 0 ? null : { description: label, prompts: [label], vars },
  }
}

/** Reports fields that promptfoo has no place for, and texts that it reads otherwise. */
function reportFields(prompt: ExportedPrompt, onLoss: OnLoss): void {
  const { key, content, messages } = prompt
  if (prompt.name !== key) onLoss('name', 'The key is the label')
  if (prompt.description !== '') onLoss('description', absent)
  if (prompt.category !== null) onLoss('category', absent)
  if (prompt.tags.length > 0) onLoss('tags', absent)
  if (prompt.version === null) onLoss('version', 'Drafts and versions are the same')
  reportParams(prompt.params, [], onLoss)
  reportTemplate(messages === undefined ? content : JSON.stringify(messages), onLoss)
  if (messages === undefined && messagesIn(content) !== null)
    onLoss('content', 'The text is a list of messages as JSON, which is read as a chat')
}

/** Reports what promptfoo's templates (Nunjucks) would read as more than a variable. */
function reportTemplate(text: string, onLoss: OnLoss): void {
  const rest = text.replace(/\{\{\s*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\s*\}\}/g, '')
  if (/\{\{|\{%|\{#/.test(rest)) onLoss('content', 'promptfoo reads {{, {% and {# as expressions of Nunjucks')
  if (/\{\{\s*env\./.test(text)) onLoss('content', 'promptfoo replaces {{env.…}} by environment variables')
  if (text.startsWith('file://'))
    onLoss('content', 'promptfoo reads text that begins with file:// from a file')
}

function chatOf(messages: readonly PromptMessage[], onLoss: OnLoss): Fields[] {
  return messages.flatMap((message, index) => {
    if (!('placeholder' in message)) return [toOpenAiMessage(message)]
    onLoss(`messages.${index}.placeholder`, 'promptfoo has no lists of messages')
    return []
  })
}

function varsOf(variables: ExportedPrompt['variables'], onLoss: OnLoss): Map<string, unknown> {
  const vars = new Map<string, unknown>()
  for (const variable of variables) {
    const shown = variable.example ?? variable.default
    if (!isOnlyExample(variable)) onLoss('variables', 'Only a value of each variable is exported')
    if (typeof shown === 'string' && shown.startsWith('file://'))
      onLoss('variables', 'promptfoo reads values that begin with file:// from a file')
    if (shown !== null && !setNested(vars, variable.name, shown))
      onLoss('variables', `${variable.name} conflicts with another name`)
  }
  return vars
}

const isOnlyExample = ({ required, description, type, example, default: value }: Declaration): boolean =>
  !required && description === '' && value === null && type === typeof example

/** Sets a value under a dotted name. Returns false if another value is in its place. */
function setNested(root: Map<string, unknown>, name: string, value: unknown): boolean {
  const parents = name.split('.')
  const last = parents.pop() ?? ''
  let node = root
  for (const parent of parents) {
    const next = node.get(parent) ?? new Map<string, unknown>()
    if (!(next instanceof Map)) return false
    node.set(parent, next)
    node = next
  }
  if (node.has(last)) return false
  node.set(last, value)
  return true
}

const providerPrefixes: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt-|chatgpt-|o\d)/, 'openai:chat:'],
  [/^claude-/, 'anthropic:messages:'],
  [/^gemini-/, 'google:'],
]
const providerOf = (model: string | null): string | null => {
  const prefix = providerPrefixes.find(([pattern]) => model !== null && pattern.test(model))?.[1]
  return prefix === undefined ? null : `${prefix}${model}`
}

/** Writes a configuration of promptfoo, a prompt at a time. Providers and tests follow the prompts. */
export async function* writePromptfoo(prompts: AsyncIterable<ExportedPrompt>): AsyncGenerator<string> {
  const providers: Fields[] = []
  const tests: Fields[] = []
  async function* items(): AsyncGenerator<Fields> {
    for await (const prompt of prompts) {
      const parts = toPromptfoo(prompt, () => undefined)
      if (parts.provider !== null) providers.push(parts.provider)
      if (parts.test !== null) tests.push(parts.test)
      yield parts.prompt
    }
  }
  yield 'description: Prompts of Promptdeck\n'
  yield* writeYamlItems('prompts', items())
  if (providers.length > 0) yield yamlOf({ providers })
  if (tests.length > 0) yield yamlOf({ tests })
}
