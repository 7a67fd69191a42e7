import type { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { item, page } from '../common/fields.ts'
import { definitionEndpoints } from '../definitions/definition-endpoints.ts'
import { RunReply, runReplyExample } from '../playground/playground.ts'
import { byId, readingOf } from '../resources/versioned.ts'
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

const tag = 'Agents'
const reply = { data: agentExample }

const { id, workspace_id, key, name, description, created_by, updated_at, etag, ...behaviour } = agentExample
const { content, params, messages, tools, response_schema, ...rowExample } = agentExample
const { version, updated_by, created_at, ...behaviourExample } = behaviour
const versionExample: z.input<typeof AgentVersion> = {
  version: 'v2',
  kind: 'update',
  from: null,
  message: 'Warmer',
  current: true,
  ...behaviourExample,
  created_by,
  created_at,
}

export const agents = {
  ...definitionEndpoints({
    tag,
    nounWithArticle: 'an agent',
    plural: 'agents',
    path: '/api/agents',
    keyTaken: 'agent.key_taken',
    schemas: {
      single: item(Agent),
      rows: page(AgentRow),
      version: item(AgentVersion),
      versions: page(AgentVersion),
      create: CreateAgentBody,
      update: UpdateAgentBody,
      list: ListAgentsQuery,
      export: ExportAgentsQuery,
    },
    texts: {
      get: 'Get an agent',
      create: 'Create an agent as v1',
      update:
        '`name` and `description` apply immediately, and `workspace_id` moves the agent. Any other change creates the next version, which then runs.',
      remove: 'Delete an agent and its versions; its runs are not deleted',
      rollback: 'Roll back to an older version, as a new version',
    },
    examples: {
      single: reply,
      copy: { data: { ...agentExample, key: 'support/answer-copy', version: 'v1' } },
      rows: { data: [rowExample], total: 1, next_cursor: null },
      version: { data: versionExample },
      versions: { data: [versionExample], total: 1, next_cursor: null },
      create: { key: 'support/answer', prompt_key: 'support/answer', provider: 'openai', model: 'gpt-4o' },
      update: { model: 'gpt-4o', message: 'Warmer' },
      rollback: { version: 'v1', message: 'v2 was too long' },
      copyKey: 'support/answer-copy',
      listQuery: 'provider=openai&q=ticket&fields=summary',
      exported: 'agents:\n  - key: support/answer\n',
      file: 'agents:\n  - key: support/answer\n    content: Hi {{name}}\n',
    },
  }),
  input: endpoint({
    ...readingOf(tag),
    path: '/api/agents/:id/input',
    workspaces: 'item',
    summary: 'Get the variables that a run requires, and whether there is a text to run',
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
              description: 'Text written by the customer',
              type: 'string',
              declared: true,
              used: true,
            },
          ],
          placeholders: [],
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
    workspaces: 'item',
    summary: 'Run an agent: one model call, recorded as one run',
    description:
      'With `stream: true` the reply is `text/event-stream`, as for a Playground run: `delta` and `tool_call`, then `done` with the complete reply or `error` with problem details. If no prompt is served under `prompt_key`, the reply is 422 on `prompt_key`.',
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
