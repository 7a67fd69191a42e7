/** A chat prompt with every kind of message. */
export const messages = [
  { role: 'system', content: 'You help {{customer.name}}. {{ > legal/footer}}' },
  { placeholder: 'history' },
  { role: 'user', content: 'Where is order {{order}}?' },
  {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'call_1', name: 'find_order', arguments: { id: '{{order}}' } }],
  },
  { role: 'tool', content: '{"state":"sent"}', tool_call_id: 'call_1', name: 'find_order' },
]
export const content = [
  'system: You help {{customer.name}}. {{ > legal/footer}}',
  'placeholder: {{history}}',
  'user: Where is order {{order}}?',
  'assistant: ',
  'tool: {"state":"sent"}',
].join('\n\n')
export const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
export const params = {
  temperature: 0.2,
  top_p: 0.9,
  max_output_tokens: 300,
  stop: ['END'],
  seed: 7,
  tool_choice: 'auto',
  tools: [
    { name: 'find_order', description: 'Finds an order', parameters: { type: 'object', properties: {} } },
  ],
  response_format: { type: 'json_schema', json_schema: { name: 'reply', schema, strict: true } },
  reasoning_effort: 'low',
}
export const variables = [
  {
    name: 'order',
    required: true,
    default: null,
    description: 'Order number',
    type: 'string',
    example: 'A-17',
    declared: true,
    used: true,
  },
]
export const chat = { type: 'chat', messages, params, model: 'gpt-4o', variables }
