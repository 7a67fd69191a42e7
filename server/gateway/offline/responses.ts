import type { ChatMessage, ToolCall } from '../../../contract/models/models.ts'
import { type Json, record, records, text } from '../protocols/json.ts'
import {
  badRequest,
  choiceOf,
  contentText,
  formatOf,
  messageOf,
  paramsOf,
  requiredModel,
  toolOf,
} from './read-request.ts'
import type { EventWriter, OfflineRequest, OfflineRoute, Output, ReplyHead } from './route.ts'

/** Returns the message of an item; none for a call of a tool and other items, which have no text for the model. */
function messagesOf(item: Json): ChatMessage[] {
  if (item['type'] === 'function_call_output') {
    const { output, call_id: id } = item
    return [{ role: 'tool', content: contentText(output), tool_call_id: String(id ?? '') }]
  }
  return item['role'] === undefined ? [] : [messageOf(item)]
}

function read(body: Json): OfflineRequest {
  const model = requiredModel(body)
  const { input } = body
  const given = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : null
  const instructions = text(body['instructions'])
  const messages = given ?? records(input).flatMap(messagesOf)
  if (messages.length === 0) throw badRequest('input must have at least one message')
  const declared = records(body['tools']).filter(({ type }) => type === 'function')
  const { tools, params } = choiceOf(body['tool_choice'], declared.map(toolOf))
  const format = record(record(body['text'])['format'])
  return {
    generate: {
      model,
      messages: [
        ...(instructions === null ? [] : [{ role: 'system' as const, content: instructions }]),
        ...messages,
      ],
      tools,
      params: { ...paramsOf(body, body['max_output_tokens']), ...params },
      ...formatOf(format, format['schema']),
    },
    isStream: body['stream'] === true,
    hasUsage: true,
  }
}

const partOf = (said: string): Json => ({ type: 'output_text', text: said, annotations: [], logprobs: [] })

const messageItem = ({ id }: ReplyHead, said: string | null): Json => ({
  type: 'message',
  id: `msg_${id}`,
  status: said === null ? 'in_progress' : 'completed',
  role: 'assistant',
  content: said === null ? [] : [partOf(said)],
})

const callItem = ({ id, name, arguments: given }: ToolCall): Json => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: JSON.stringify(given),
  status: 'completed',
})

/** Returns the response. `output`: null until it is complete. */
function responseOf(head: ReplyHead, output: Output | null): Json {
  const isCut = output?.finishReason === 'length'
  const message = output === null || output.text === '' ? [] : [messageItem(head, output.text)]
  return {
    id: `resp_${head.id}`,
    object: 'response',
    created_at: head.created,
    status: output === null ? 'in_progress' : isCut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    metadata: {},
    model: head.model,
    output: [...message, ...(output?.calls.map(callItem) ?? [])],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: output === null ? null : usageOf(output),
  }
}

const usageOf = ({ usage: { prompt, output } }: Output): Json => ({
  input_tokens: prompt,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: prompt + output,
})

/** Writes the events of a stream: the message is the first item, calls of tools are the others. */
function createWriter(head: ReplyHead): EventWriter {
  let number = 0
  let items = 0
  let hasMessage = false
  const event = (type: string, data: Json): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...data })}\n\n`
  const response = (type: string, output: Output | null): string =>
    event(`response.${type}`, { response: responseOf(head, output) })
  const place = { item_id: `msg_${head.id}`, output_index: 0, content_index: 0 }
  const open = (): string => {
    if (hasMessage) return ''
    hasMessage = true
    items += 1
    const added = event('response.output_item.added', { output_index: 0, item: messageItem(head, null) })
    return added + event('response.content_part.added', { ...place, part: partOf('') })
  }
  const close = (said: string): string =>
    event('response.output_text.done', { ...place, text: said, logprobs: [] }) +
    event('response.content_part.done', { ...place, part: partOf(said) }) +
    event('response.output_item.done', { output_index: 0, item: messageItem(head, said) })
  return {
    begin: () => response('created', null) + response('in_progress', null),
    text: (delta) => open() + event('response.output_text.delta', { ...place, delta, logprobs: [] }),
    call(call) {
      const item = callItem(call)
      const at = { item_id: item['id'], output_index: items }
      const { output_index } = at
      items += 1
      return [
        event('response.output_item.added', {
          output_index,
          item: { ...item, arguments: '', status: 'in_progress' },
        }),
        event('response.function_call_arguments.delta', { ...at, delta: item['arguments'] }),
        event('response.function_call_arguments.done', { ...at, arguments: item['arguments'] }),
        event('response.output_item.done', { output_index, item }),
      ].join('')
    },
    end: (output) =>
      (hasMessage ? close(output.text) : '') +
      response(output.finishReason === 'length' ? 'incomplete' : 'completed', output),
    fail: (message) => event('error', { code: 'server_error', message, param: null }),
  }
}

/** The route of the Responses API, with complete and streamed replies. */
export const responsesRoute: OfflineRoute = { read, complete: responseOf, createWriter }
