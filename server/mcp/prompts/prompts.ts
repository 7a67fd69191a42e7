import type { GetPromptResult, ListPromptsResult, PromptMessage } from '@modelcontextprotocol/sdk/types.js'
import { fitsWhenRendered, render } from '../../../contract/formats/template.ts'
import { api } from '../../../contract/index.ts'
import { chatText, renderChat } from '../../../contract/models/chat.ts'
import type { ChatMessage } from '../../../contract/models/models.ts'
import type { Variable } from '../../../contract/prompts/prompt.ts'
import type { SdkPrompt } from '../../../contract/prompts/sdk.ts'
import { fail } from '../../lib/fail.ts'
import type { Caller } from '../caller.ts'
import { nameOf, placeOfName } from './places.ts'
import { type ServedDeps, servedPage } from './served-pages.ts'

/** Maximum length of the rendered messages, in UTF-16 code units. */
const maxRenderedLength = 512 * 1024
/** Limits of the description of a prompt in the list. */
const maxArguments = 100
const maxDescriptionLength = 200

type Arguments = Readonly<Record<string, string>>

/** Lists published prompts and renders them. */
export function createPromptHandlers(deps: ServedDeps) {
  return {
    async list(caller: Caller, cursor?: string): Promise<ListPromptsResult> {
      const { prompts, nextCursor } = await servedPage(deps, caller, cursor)
      return {
        prompts: prompts.map(({ place, prompt }) => ({
          name: nameOf(caller, place, prompt.key),
          title: prompt.key,
          description: `${prompt.version} in ${place.env} of the workspace ${place.workspace}`,
          arguments: argumentsOf(prompt.variables),
        })),
        ...(nextCursor !== null && { nextCursor }),
      }
    },

    async get(caller: Caller, name: string, values: Arguments = {}): Promise<GetPromptResult> {
      const { key, ...query } = await placeOfName(caller, name, deps.visibleWorkspaces)
      const prompt = await deps.operations.call(caller, api.sdk.prompt, { params: { key }, query })
      requireArguments(prompt.variables, values)
      return {
        description: `${prompt.version} in ${query.env} of the workspace ${query.workspace}`,
        messages: messagesOf(prompt, values),
        _meta: { version: prompt.version, model: prompt.model },
      }
    },
  }
}

const isRequired = ({ required, default: value }: Variable): boolean => required && value === null

const argumentsOf = (variables: readonly Variable[]) =>
  variables.slice(0, maxArguments).map((variable) => ({
    name: variable.name,
    ...(variable.description !== '' && { description: variable.description.slice(0, maxDescriptionLength) }),
    required: isRequired(variable),
  }))

function requireArguments(variables: readonly Variable[], values: Arguments): void {
  const missing = variables.filter(
    (variable) => isRequired(variable) && !Object.hasOwn(values, variable.name),
  )
  if (missing.length === 0) return
  const errors = missing.map(({ name }) => ({ path: `arguments.${name}`, message: 'Required' }))
  const names = missing.map(({ name }) => name).join(', ')
  throw fail('request.invalid', { detail: `Arguments are missing: ${names.slice(0, 1000)}`, errors })
}

function messagesOf({ content, messages, variables }: SdkPrompt, values: Arguments): PromptMessage[] {
  const template = messages === null ? content : chatText(messages)
  if (!fitsWhenRendered(template, values, variables, maxRenderedLength))
    throw fail('request.invalid', { detail: 'The rendered prompt is longer than 512 Ki characters.' })
  if (messages === null) return [messageOf('user', render(content, values, variables).text)]
  return renderChat(messages, values, variables).messages.map(toMcp)
}

/** MCP has only the roles user and assistant. Instructions and results of tools become messages of the user. */
function toMcp(message: ChatMessage): PromptMessage {
  if (message.role !== 'assistant') return messageOf('user', message.content)
  const calls = (message.tool_calls ?? []).map(
    ({ name, arguments: input }) => `Tool call ${name}: ${JSON.stringify(input)}`,
  )
  return messageOf('assistant', [message.content, ...calls].filter((text) => text !== '').join('\n'))
}

const messageOf = (role: PromptMessage['role'], text: string): PromptMessage => ({
  role,
  content: { type: 'text', text },
})
