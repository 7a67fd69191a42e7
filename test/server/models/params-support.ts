import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts'
import { modelsAt, outcome, requestOf } from './models-support.ts'

export let server: ModelServer

export const models: Readonly<Record<string, string>> = {
  openai: 'gpt-4o-mini',
  claude: 'claude-haiku-4-5',
  gemini: 'gemini-2.0-flash',
  ollama: 'llama3.2',
  'openai-compatible': 'qwen3',
}

export const call = (name: string, change: Parameters<typeof requestOf>[1], model = models[name] ?? '') =>
  outcome(modelsAt(server.url), name, requestOf(model, change))

export const body = () => server.seen.at(-1)?.body ?? {}

export const tools = [
  {
    name: 'find',
    description: 'Finds',
    parameters: { type: 'object', properties: { q: { type: 'string' } } },
  },
]

/** Starts a model server before the tests of the calling file and closes it after them. */
export function setUpModelServer(): void {
  beforeAll(async () => {
    server = await startModelServer()
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())
}
