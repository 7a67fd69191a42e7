import { server, setUpService as start } from '../file-service.ts'
import type { Attributes } from './fixtures/otlp.ts'

export { server } from '../file-service.ts'

export const json = { 'content-type': 'application/json' }

export const protobuf = { 'content-type': 'application/x-protobuf' }

/** Attributes of a model call. */
export const call: Attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
}

/** Number of spans that tests have made. */
export let spans = 0

/** Returns the id of a span that no other test uses. */
const nextId = () => (++spans).toString(16).padStart(16, '0')

/** The id of a trace. */
export const trace = 'ab'.repeat(16)

/** Returns a span of a model call. `at`: its start in ms since 1970. */
export const spanAt = (at: number, attributes: Attributes = {}, ms = 100) => ({
  span: nextId(),
  name: 'chat',
  at,
  ms,
  attributes: { ...call, ...attributes },
})

/** A second ago: no span starts in the future. */
export const now = () => Date.now() - 1000

/** Creates a workspace and returns the header that names it. */
export async function workspace(slug: string): Promise<{ 'promptdeck-workspace': string }> {
  await server.call('POST /api/workspaces', { body: { name: slug, slug } })
  return { 'promptdeck-workspace': slug }
}

/** Starts a service with a base path before the tests of the calling file and closes it after them. */
export const setUpService = () => start(undefined, { env: { BASE_PATH: '/deck' } })
