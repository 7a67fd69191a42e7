import type { Json } from './wire.ts'

/** Returns the list of models in the form of each protocol; null for other requests. */
export function modelList(
  method: string,
  path: string,
  headers: Readonly<Record<string, unknown>>,
): Json | null {
  if (method !== 'GET') return null
  if (path === '/api/tags') return { models: [{ name: 'llama3.2:latest', model: 'llama3.2:latest' }] }
  if (path === '/v1beta/models')
    return { models: [{ name: 'models/gemini-2.5-flash', displayName: 'Flash' }] }
  if (path !== '/v1/models') return null
  return headers['anthropic-version'] === undefined
    ? { object: 'list', data: [{ id: 'gpt-4o-mini', object: 'model', created: 1, owned_by: 'openai' }] }
    : { data: [{ id: 'claude-haiku-4-5', type: 'model', display_name: 'Haiku' }], has_more: false }
}
