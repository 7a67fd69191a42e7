import {
  type ChatMessage,
  MockBehaviour,
  type ModelParams,
  type ToolDeclaration,
} from '../../../contract/models/models.ts'
import { ModelError } from '../../models/model.ts'
import { count, type Json, record, records, text } from '../protocols/json.ts'

export const badRequest = (message: string): ModelError => new ModelError('bad_request', message)

/** Returns the model of a request. Throws if it names none. */
export function requiredModel(body: Json): string {
  const model = text(body['model'])
  if (model === null) throw badRequest('model is required')
  return model
}

/** Returns the text of content: a text, or a list of parts, of which only texts are read. */
export const contentText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : records(content)
        .map((part) => text(part['text']) ?? '')
        .join('')

/** Returns a message in the form of OpenAI. An unknown role is that of the user. */
export function messageOf({ role, content: given, tool_call_id: id }: Json): ChatMessage {
  const content = contentText(given)
  if (role === 'tool') return { role, content, tool_call_id: String(id ?? '') }
  if (role === 'system' || role === 'developer') return { role: 'system', content }
  return { role: role === 'assistant' ? 'assistant' : 'user', content }
}

export const toolOf = ({ name, description, parameters }: Json): ToolDeclaration => ({
  name: text(name) ?? 'tool',
  description: text(description) ?? '',
  parameters: record(parameters),
})

type Choice = { readonly tools: readonly ToolDeclaration[]; readonly params: ModelParams }

const nameOf = (tool: Json): string | null => text(tool['name']) ?? text(record(tool['function'])['name'])

/** Returns the tools among which a model may choose. A named tool is the only one, and must be called. */
export function choiceOf(choice: unknown, tools: readonly ToolDeclaration[]): Choice {
  if (choice === 'none') return { tools: [], params: {} }
  if (choice === 'required') return { tools, params: { tool_choice: choice } }
  const chosen = record(choice)
  if (chosen['type'] === 'allowed_tools') {
    const { mode, tools: listed } = record(chosen['allowed_tools'] ?? chosen)
    const names = records(listed).map(nameOf)
    return choiceOf(
      mode,
      tools.filter((tool) => names.includes(tool.name)),
    )
  }
  const name = nameOf(chosen)
  if (name === null) return { tools, params: {} }
  const named = tools.filter((tool) => tool.name === name)
  if (named.length === 0) throw badRequest(`tool_choice names ${name}, which is not in tools`)
  return { tools: named, params: { tool_choice: 'required' } }
}

/** Returns the parameters that change an offline response: its length, its end, and its pace and failures. */
export function paramsOf(body: Json, limit: unknown): ModelParams {
  const max = count(limit)
  const stops = typeof body['stop'] === 'string' ? [body['stop']] : body['stop']
  const stop = Array.isArray(stops) ? stops.filter((each) => text(each) !== null).map(String) : []
  const mock = body['mock'] === undefined ? undefined : MockBehaviour.safeParse(body['mock'])
  if (mock?.success === false) throw badRequest(`mock: ${mock.error.issues[0]?.message ?? 'not valid'}`)
  return {
    ...(max !== null && max > 0 && { max_output_tokens: max }),
    ...(stop.length > 0 && { stop }),
    ...(mock !== undefined && { mock: mock.data }),
  }
}

/** Returns the fields of a request that ask for JSON, from the format of either route. */
export function formatOf(format: Json, schema: unknown): { responseSchema: Json | null; isJson: boolean } {
  const { type } = format
  return {
    responseSchema: type === 'json_schema' ? record(schema) : null,
    isJson: type === 'json_schema' || type === 'json_object',
  }
}
