import type { Json } from './wire.ts'

const vector = [0.25, -0.5, 1]

/** Returns an embedding or a count of tokens in the form of each protocol; null for other requests. */
export function embeddingReply(method: string, path: string): Json | null {
  if (method !== 'POST') return null
  if (path === '/v1/messages/count_tokens') return { input_tokens: 21 }
  if (path === '/api/embed')
    return { model: 'nomic-embed-text', embeddings: [vector], total_duration: 1, prompt_eval_count: 5 }
  if (path.endsWith(':embedContent')) return { embedding: { values: vector } }
  if (path !== '/v1/embeddings') return null
  return {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: vector }],
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 5, total_tokens: 5 },
  }
}
