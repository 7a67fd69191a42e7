import type { ChatMessage } from '../../../contract/models/models.ts'
import type { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import { type Json, record } from '../protocols/json.ts'
import { argumentsObject, listOf, type ParamNames, plainParams, unlessGiven } from './parameters.ts'
import type { ApplyPrompt } from './served-prompt.ts'

const names: ParamNames = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  max_output_tokens: 'maxOutputTokens',
  stop: 'stopSequences',
  seed: 'seed',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
}

/** The name of the tool whose result a message is. The protocol has names in place of ids. */
const toolNameOf = (id: string, messages: readonly ChatMessage[]): string =>
  messages
    .flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
    .find((call) => call.id === id)?.name ?? id

type Content = { readonly role: 'user' | 'model'; readonly parts: readonly Json[] }

function contentOf(message: ChatMessage, messages: readonly ChatMessage[]): Content {
  const { content } = message
  if (message.role === 'tool') {
    const name = message.name ?? toolNameOf(message.tool_call_id, messages)
    return { role: 'user', parts: [{ functionResponse: { name, response: { output: content } } }] }
  }
  const texts = content === '' ? [] : [{ text: content }]
  if (message.role !== 'assistant') return { role: 'user', parts: texts }
  const calls = (message.tool_calls ?? []).map(({ name, arguments: given }) => ({
    functionCall: { name, args: argumentsObject(given) },
  }))
  return { role: 'model', parts: [...texts, ...calls] }
}

const isResult = ({ parts: [part = {}] }: Content): boolean => 'functionResponse' in part

/** Returns the contents of messages. Results of tools that were called together are one content, as the protocol requires. */
function contentsOf(part: readonly ChatMessage[], messages: readonly ChatMessage[]): readonly Content[] {
  const contents: Content[] = []
  for (const message of part.filter((each) => !isInstruction(each))) {
    const content = contentOf(message, messages)
    const last = contents.at(-1)
    if (last !== undefined && isResult(last) && isResult(content))
      contents.splice(-1, 1, { ...last, parts: [...last.parts, ...content.parts] })
    else contents.push(content)
  }
  return contents
}

const isInstruction = ({ role }: ChatMessage): boolean => role === 'system'

function instructionOf(messages: readonly ChatMessage[], given: unknown): Json {
  const own = messages.filter(isInstruction).map(({ content }) => ({ text: content }))
  if (own.length === 0) return given === undefined ? {} : { systemInstruction: given }
  return { systemInstruction: { parts: [...own, ...listOf(record(given)['parts'])] } }
}

const modes = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const

const toolFields = ({ tools = [], tool_choice: choice }: PromptParams): Json => ({
  ...(tools.length > 0 && {
    tools: [
      {
        functionDeclarations: tools.map(({ name, description, parameters }) => ({
          name,
          description,
          parametersJsonSchema: parameters,
        })),
      },
    ],
    ...(choice !== undefined && { toolConfig: { functionCallingConfig: { mode: modes[choice] } } }),
  }),
})

function formatOf({ response_format: format }: PromptParams): Json {
  if (format === undefined || format.type === 'text') return {}
  return {
    responseMimeType: 'application/json',
    ...(format.type === 'json_schema' && { responseJsonSchema: format.json_schema.schema }),
  }
}

/** The protocol accepts both names of a field. */
const otherNames = new Map([
  ['system_instruction', 'systemInstruction'],
  ['generation_config', 'generationConfig'],
  ['tool_config', 'toolConfig'],
])
const withFieldNames = (request: Json): Json =>
  Object.fromEntries(Object.entries(request).map(([name, value]) => [otherNames.get(name) ?? name, value]))

/** Inserts a prompt into a request for content. The model is part of the path. */
export const applyToContent: ApplyPrompt = (request, { model, before, after, params }, path) => {
  const body = withFieldNames(request)
  const messages = [...before, ...after]
  const given = record(body['generationConfig'])
  const config = { ...plainParams(params, names, given), ...formatOf(params), ...given }
  return {
    path: path.replace(/^\/models\/[^:]+/, () => `/models/${encodeURIComponent(model)}`),
    body: {
      ...unlessGiven(body, 'tools', () => toolFields(params)),
      ...body,
      ...instructionOf(messages, body['systemInstruction']),
      contents: [
        ...contentsOf(before, messages),
        ...listOf(body['contents']),
        ...contentsOf(after, messages),
      ],
      ...(Object.keys(config).length > 0 && { generationConfig: config }),
    },
  }
}
