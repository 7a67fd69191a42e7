import { z } from 'zod'
import {
  Agent,
  AgentInput,
  AgentRow,
  AgentVersion,
  agentExample,
  CreateAgentBody,
  ExportAgentsQuery,
  ListAgentsQuery,
  RunAgentBody,
  UpdateAgentBody,
} from './agent.ts'
import { Id, item, Ok, page } from './common.ts'
import {
  byIdAndVersion,
  DefinitionImportReport,
  DuplicateBody,
  ImportDefinitionsBody,
  importReportExample,
  ListDefinitionVersionsQuery,
  RollbackDefinitionBody,
} from './definition.ts'
import { endpoint } from './endpoint.ts'
import { RunReply, runReplyExample } from './playground.ts'

const byId = z.object({ id: Id })
const tag = 'Agents'
const read = { tag, method: 'GET', permission: 'resources.read' } as const
const write = { tag, permission: 'resources.write', idempotent: true, etag: true } as const
const saving = ['precondition.failed', 'idempotency.mismatch', 'store.full'] as const
const reply = { data: agentExample }

const { id, workspace_id, key, name, description, created_by, updated_at, etag, ...behaviour } = agentExample
const { content, params, messages, tools, response_schema, ...rowExample } = agentExample
const { version, updated_by, created_at, ...does } = behaviour
const versionExample: z.input<typeof AgentVersion> = {
  version: 'v2',
  kind: 'update',
  from: null,
  message: 'Warmer',
  current: true,
  ...does,
  created_by,
  created_at,
}

export const agents = {
  list: endpoint({
    ...read,
    path: '/api/agents',
    summary: 'List agents',
    query: ListAgentsQuery,
    reply: page(AgentRow),
    example: {
      query: 'provider=openai&q=ticket&fields=summary',
      reply: { data: [rowExample], total: 1, next_cursor: null },
    },
  }),
  export: endpoint({
    ...read,
    path: '/api/agents/export',
    summary: 'Download agents as JSON or YAML',
    query: ExportAgentsQuery,
    reply: z.unknown(),
    replyAs: 'file',
    mediaTypes: ['application/json', 'application/yaml'],
    example: { query: 'format=yaml&workspace=default', reply: 'agents:\n  - key: support/answer\n' },
  }),
  import: endpoint({
    tag,
    method: 'POST',
    path: '/api/agents/import',
    summary: 'Import agents, all or none, or look first at what would happen',
    description:
      'With `preview` the reply says of every item what would become of it. Without, one refused item refuses all: 422 with the reason of each.',
    permission: 'resources.write',
    idempotent: true,
    body: ImportDefinitionsBody,
    reply: item(DefinitionImportReport),
    problems: ['idempotency.mismatch', 'store.full'],
    example: {
      body: {
        files: [
          { name: 'support.yaml', content: 'agents:\n  - key: support/answer\n    content: Hi {{name}}\n' },
        ],
        preview: true,
      },
      reply: { data: importReportExample },
    },
  }),
  create: endpoint({
    ...write,
    method: 'POST',
    path: '/api/agents',
    summary: 'Create an agent; what it does is v1',
    body: CreateAgentBody,
    reply: item(Agent),
    status: 201,
    problems: ['agent.key_taken', 'idempotency.mismatch', 'store.full'],
    example: {
      body: { key: 'support/answer', prompt_key: 'support/answer', provider: 'openai', model: 'gpt-4o' },
      reply,
    },
  }),
  get: endpoint({
    ...read,
    path: '/api/agents/:id',
    summary: 'One agent',
    etag: true,
    params: byId,
    reply: item(Agent),
    problems: ['not_found'],
    example: { reply },
  }),
  update: endpoint({
    ...write,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/agents/:id',
    summary: 'Change an agent',
    description:
      '`name` and `description` count at once, `workspace_id` moves it; a change of anything else makes the next version, which is what runs.',
    params: byId,
    body: UpdateAgentBody,
    reply: item(Agent),
    problems: ['not_found', 'agent.key_taken', ...saving],
    example: { body: { model: 'gpt-4o', message: 'Warmer' }, reply },
  }),
  remove: endpoint({
    ...write,
    method: 'DELETE',
    path: '/api/agents/:id',
    summary: 'Delete an agent and its versions; its runs stay in the run log',
    params: byId,
    reply: Ok,
    problems: ['not_found', 'precondition.failed'],
    example: { reply: { ok: true } },
  }),
  duplicate: endpoint({
    ...write,
    method: 'POST',
    path: '/api/agents/:id/duplicate',
    summary: 'Copy an agent under another key, or into another workspace',
    params: byId,
    body: DuplicateBody,
    reply: item(Agent),
    status: 201,
    problems: ['not_found', 'agent.key_taken', 'store.full'],
    example: {
      body: { key: 'support/answer-copy' },
      reply: { data: { ...agentExample, key: 'support/answer-copy', version: 'v1' } },
    },
  }),
  versions: endpoint({
    ...read,
    path: '/api/agents/:id/versions',
    summary: 'The versions of an agent, newest first; none ever changes',
    params: byId,
    query: ListDefinitionVersionsQuery,
    reply: page(AgentVersion),
    problems: ['not_found'],
    example: { query: 'limit=20', reply: { data: [versionExample], total: 1, next_cursor: null } },
  }),
  version: endpoint({
    ...read,
    path: '/api/agents/:id/versions/:version',
    summary: 'One version',
    params: byIdAndVersion,
    reply: item(AgentVersion),
    problems: ['not_found'],
    example: { reply: { data: versionExample } },
  }),
  rollback: endpoint({
    ...write,
    method: 'POST',
    path: '/api/agents/:id/rollback',
    summary: 'Run what an older version did, as a new version',
    params: byId,
    body: RollbackDefinitionBody,
    reply: item(Agent),
    problems: ['not_found', ...saving],
    example: { body: { version: 'v1', message: 'v2 was too long' }, reply },
  }),
  input: endpoint({
    ...read,
    path: '/api/agents/:id/input',
    summary: 'The variables a run of it asks for, and whether there is a text to run',
    params: byId,
    reply: item(AgentInput),
    problems: ['not_found'],
    example: {
      reply: {
        data: {
          variables: [
            {
              name: 'question',
              required: true,
              default: null,
              description: 'As the customer wrote it',
              type: 'string',
              declared: true,
              used: true,
            },
          ],
          prompt: {
            id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b20',
            key: 'support/answer',
            env: 'prod',
            version: 'v3',
          },
          ready: true,
          reason: null,
        },
      },
    },
  }),
  run: endpoint({
    tag,
    method: 'POST',
    path: '/api/agents/:id/run',
    summary: 'Run an agent: one call of its model, one entry in the run log',
    description:
      'With `stream: true` the reply is `text/event-stream`, as of a Playground run: `delta` and `tool_call`, then `done` with the whole reply or `error` with problem details. No prompt served under its `prompt_key` is 422 on `prompt_key`.',
    permission: 'resources.run',
    idempotent: 'private',
    params: byId,
    body: RunAgentBody,
    reply: RunReply,
    replyAs: 'stream',
    problems: ['not_found', 'provider.failed', 'idempotency.mismatch', 'store.full'],
    example: {
      body: { variables: { question: 'Where is my invoice?' } },
      reply: {
        ...runReplyExample,
        run: { ...runReplyExample.run, source: 'agent', ref_key: 'support/answer', version: 'v2' },
      },
    },
  }),
}
