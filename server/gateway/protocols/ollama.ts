import { gatewayProtocols } from '../../../contract/gateway/gateway.ts'
import { count, pick, record, records, text } from './json.ts'
import type { Protocol } from './protocol.ts'

const inputFields = ['system', 'messages', 'prompt', 'suffix', 'input', 'tools', 'format']

/** https://github.com/ollama/ollama/blob/main/docs/api.md. */
export const ollamaProtocol: Protocol = {
  ...gatewayProtocols.ollama,
  providerPath: '/api',
  readRequest: (body) => ({
    model: text(body['model']),
    endUser: null,
    params: { ...pick(body, ['stream', 'think']), ...record(body['options']) },
    input: pick(body, inputFields),
  }),
  readReply(value, into, operation) {
    if (value['error'] !== undefined) {
      into.failure = value['error']
      return
    }
    if (['message', 'response', 'embeddings'].some((name) => value[name] !== undefined)) into.isKnown = true
    into.model = text(value['model']) ?? into.model
    const message = record(value['message'])
    into.addText(message['content'] ?? value['response'])
    into.addHidden(message['thinking'] ?? value['thinking'])
    for (const call of records(message['tool_calls'])) {
      const called = record(call['function'])
      into.addTool(into.tools.size, { id: call['id'], name: called['name'], arguments: called['arguments'] })
    }
    into.finishReason = text(value['done_reason']) ?? into.finishReason
    into.addUsage({
      promptTokens: count(value['prompt_eval_count']),
      outputTokens: operation === 'embeddings' ? 0 : count(value['eval_count']),
    })
  },
  errorBody: ({ message }) => ({ error: message }),
}
