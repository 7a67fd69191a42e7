import { z } from 'zod'
import { bearer } from '../../model-list.ts'
import { freePrices, type Provider, selfHosted } from '../../provider.ts'

const Models = z.object({ models: z.array(z.object({ name: z.string() })) })
const label = 'Ollama'

export const ollama: Provider = {
  ...selfHosted,
  label,
  kind: 'ollama',
  baseUrl: 'http://127.0.0.1:11434',
  isLocal: true,
  models: [],
  defaultModel: null,
  unsupportedParams: ['mock'],
  refusalOf: ({ params }) =>
    params.tool_choice === 'required'
      ? `${label} has no tool_choice required: whether to call a tool is the model's choice`
      : null,
  isFree: true,
  prices: { names: ['ollama'], models: freePrices },
  modelList: {
    path: '/api/tags',
    headers: bearer,
    read(reply) {
      const parsed = Models.safeParse(reply)
      return parsed.success ? parsed.data.models.map(({ name }) => name) : null
    },
  },
  adapter: (parts) =>
    async function* (request, signal) {
      const { ollamaSource } = await import('./adapter.ts')
      yield* ollamaSource(parts)(request, signal)
    },
}
