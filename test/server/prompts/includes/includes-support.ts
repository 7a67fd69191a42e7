import { server } from '../../file-service.ts'

export { server, setUpService } from '../../file-service.ts'

export const create = async (key: string, content: string | undefined, more: object = {}) => {
  const reply = await server.call('POST /api/prompts', { body: { key, env: 'prod', content, ...more } })
  return { status: reply.status, body: reply.body, id: reply.body.data?.id as string }
}

export const served = (key: string, headers: Record<string, string> = {}) =>
  server.call(`GET /api/sdk/prompts/${encodeURIComponent(key)}`, { headers })

export const publish = async (id: string, content: string) => {
  await server.call(`PATCH /api/prompts/${id}`, { body: { content } })
  return server.call(`POST /api/prompts/${id}/publish`, { body: {} })
}
