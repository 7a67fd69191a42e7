import type { Endpoint } from '../../../contract/common/endpoint.ts'
import type { Answer } from '../../support/service.ts'
import type { Fixture } from './access-support.ts'

export const unknownId = '019aa5b2-0000-7000-8000-000000000000'

const unknownNumber = '999999999'

const unknownText = 'nothing-like-this'

export function idIn({ path }: Endpoint, fixture: Fixture | null): string {
  const [, , noun = '', second = ''] = path.split('/')
  const kind = path.endsWith('/restore') ? 'deleted' : second === 'events' ? 'events' : noun
  if (fixture !== null) return fixture.ids[kind] ?? ''
  if (kind === 'runs' || kind === 'audit') return unknownNumber
  return kind === 'sessions' ? unknownText : unknownId
}

/** Returns what a caller can observe of a reply, without the requested id. */
export function observable({ status, text }: Answer, id: string) {
  return { status, text: text.replaceAll(id, '<id>').replaceAll(/"request_id":"[^"]*"/g, '') }
}

/** Requests of routes whose workspace is in the body or query. */
export const inputs: Record<
  string,
  (workspace: string) => { readonly query?: string; readonly body?: object }
> = {
  'POST /api/prompts': (workspace_id) => ({ body: { workspace_id, key: 'x', env: 'dev', content: 'x' } }),
  'POST /api/prompts/import': (workspace_id) => ({
    body: { workspace_id, files: [{ name: 'a.json', content: '{"key":"x","content":"x"}' }] },
  }),
  'POST /api/agents': (workspace_id) => ({
    body: { workspace_id, key: 'x', provider: 'mock', content: 'x' },
  }),
  'POST /api/agents/import': (workspace_id) => ({
    body: {
      workspace_id,
      files: [{ name: 'a.json', content: '{"key":"x","content":"x","provider":"mock"}' }],
    },
  }),
  'POST /api/workflows': (workspace_id) => ({
    body: { workspace_id, key: 'x', steps: [{ name: 'one', type: 'render', template: 'x' }] },
  }),
  'POST /api/workflows/import': (workspace_id) => ({
    body: {
      workspace_id,
      files: [
        { name: 'a.json', content: '{"key":"x","steps":[{"name":"one","type":"render","template":"x"}]}' },
      ],
    },
  }),
  'POST /api/workflows/validate': (workspace_id) => ({ body: { workspace_id, steps: [] } }),
  'POST /api/playground/run': (workspace_id) => ({ body: { workspace_id, content: 'x', provider: 'mock' } }),
  'POST /api/runs': (workspace_id) => ({
    body: { workspace_id, provider: 'mock', model: 'm', latency_ms: 1, status: 'ok' },
  }),
  'POST /api/alerts': (workspace) => ({
    body: { workspace, name: 'x', kind: 'cost', period_minutes: 60, threshold: 1 },
  }),
  'POST /api/views': (workspace_id) => ({
    body: { workspace_id, shared: true, name: 'x', page: 'runs', query: '' },
  }),
  'GET /api/sdk/prompts/:key': (workspace) => ({ query: `?env=prod&workspace=${workspace}` }),
  'GET /api/sdk/prompts': (workspace) => ({ query: `?env=prod&workspace=${workspace}` }),
}
