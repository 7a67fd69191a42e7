import type { z } from 'zod'
import type {
  AgentInput,
  CreateAgentBody,
  ExportAgentsQuery,
  ListAgentsQuery,
  UpdateAgentBody,
} from '../../../contract/agent.ts'
import type { DefinitionImportReport, ImportDefinitionsBody } from '../../../contract/definition.ts'
import type { Variable } from '../../../contract/prompt.ts'
import { variablesIn } from '../../../contract/template.ts'
import type { Db, Query } from '../../db/types.ts'
import { allDefinitions, listDefinitions } from '../../definitions/definitions.read.ts'
import { createDefinitions, type DefinitionsDeps } from '../../definitions/definitions.ts'
import type { Kind } from '../../definitions/kind.ts'
import { createTransfer } from '../../definitions/transfer.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { invalid } from '../../lib/fail.ts'
import { agentsWith, type MarkFilters, markAgent, rowToWire } from './agents.store.ts'
import { type AgentBehaviour, behaviourBy, behaviourIn } from './behaviour.ts'

/** The served prompt under a key, with the fields that a run needs. */
export type Served = {
  readonly id: string
  readonly version: string
  readonly content: string
  readonly variables: readonly Variable[]
}
export type FindServed = (
  q: Query,
  at: { readonly workspaceId: string; readonly key: string; readonly env: AgentBehaviour['env'] },
) => Promise<Served | null>

export type AgentsDeps = DefinitionsDeps & { readonly db: Db; readonly served: FindServed }

/** An agent with the text that it runs now. */
export type ReadyAgent = {
  readonly id: string
  readonly key: string
  readonly version: string
  readonly workspaceId: string
  readonly behaviour: AgentBehaviour
  readonly template: string
  readonly declared: readonly Variable[]
}

const kind: Kind<AgentBehaviour> = {
  noun: 'agent',
  keyTaken: 'agent.key_taken',
  textOf: ({ prompt_key, content, provider, model, messages }) =>
    [prompt_key, provider, model, content, ...messages.map((message) => message.content)].join(' '),
  mark: markAgent,
}

export type AgentsService = ReturnType<typeof createAgentsService>

export function createAgentsService(deps: AgentsDeps) {
  const { db, served } = deps
  const definitions = createDefinitions(deps, kind)
  const { store } = definitions.changes
  const missing = ({ prompt_key, env }: AgentBehaviour) =>
    `Nothing is served under ${prompt_key} in ${env} of the agent's workspace`
  const notes = async (q: Query, behaviour: AgentBehaviour, workspaceId: string): Promise<string[]> =>
    behaviour.prompt_key === null || (await promptOf(q, behaviour, workspaceId)) !== null
      ? []
      : [missing(behaviour)]
  const transfer = createTransfer(deps, kind, definitions, {
    read: behaviourIn,
    notes,
    write: ({ prompt_key, content, ...rest }) =>
      prompt_key === null ? { content, ...rest } : { prompt_key, ...rest },
  })

  async function promptOf(q: Query, { prompt_key: key, env }: AgentBehaviour, workspaceId: string) {
    return key === null ? null : served(q, { workspaceId, key, env })
  }

  return {
    list: (_ctx: Context, { provider, prompt_key, fields, ...query }: z.output<typeof ListAgentsQuery>) =>
      listDefinitions(db.read, store, query, agentsWith({ provider, prompt_key }), async () =>
        rowToWire(fields === 'summary'),
      ),
    get: definitions.get,
    create: (ctx: Context, body: z.output<typeof CreateAgentBody>) =>
      definitions.create(ctx, body, () => behaviourBy(null, body)),
    update: (ctx: Context, id: string, body: z.output<typeof UpdateAgentBody>, ifMatch: string | null) =>
      definitions.update(ctx, id, body, ifMatch, (_q, before) => behaviourBy(before, body)),
    remove: definitions.remove,
    duplicate: definitions.duplicate,
    versions: definitions.versions,
    version: definitions.version,
    rollback: definitions.rollback,

    async export(
      ctx: Context,
      { format, provider, prompt_key, ...filters }: z.output<typeof ExportAgentsQuery>,
    ): Promise<Download> {
      const narrow = agentsWith({ provider, prompt_key } satisfies MarkFilters)
      return transfer.export(ctx, format, await allDefinitions(db.read, store, filters, narrow))
    },
    import: (ctx: Context, body: z.output<typeof ImportDefinitionsBody>): Promise<DefinitionImportReport> =>
      transfer.import(ctx, body),

    async input(ctx: Context, id: string): Promise<AgentInput> {
      const agent = await definitions.get(ctx, id)
      if (agent.content !== null) {
        const variables = variablesIn(agent.content).map(foundVariable)
        return { variables, prompt: null, ready: true, reason: null }
      }
      const prompt = await promptOf(db.read, agent, agent.workspace_id)
      if (prompt === null) return { variables: [], prompt: null, ready: false, reason: missing(agent) }
      const { id: promptId, version, variables } = prompt
      const key = agent.prompt_key ?? ''
      return {
        variables: [...variables],
        prompt: { id: promptId, key, env: agent.env, version },
        ready: true,
        reason: null,
      }
    },

    /** Returns the agent in a version. Throws 404, or 422 that names `version` or `prompt_key`. */
    async ready(ctx: Context, id: string, version?: number): Promise<ReadyAgent> {
      const agent = await definitions.get(ctx, id)
      const then =
        version === undefined
          ? agent
          : await definitions.version(ctx, id, version).catch(() => {
              throw invalid('version', `There is no v${version}; the newest is ${agent.version}`)
            })
      return ready({ ...agent, ...then, workspace_id: agent.workspace_id })
    },

    /** Returns the agent with the key; null if there is none. Throws 422 that names `prompt_key`. */
    async readyAt(workspaceId: string, key: string): Promise<ReadyAgent | null> {
      const row = await store.findAt(db.read, workspaceId, key)
      return row === undefined ? null : ready(definitions.wire(row))
    },
    has: async (q: Query, workspaceId: string, key: string): Promise<boolean> =>
      (await store.findAt(q, workspaceId, key)) !== undefined,
  }

  async function ready(
    agent: AgentBehaviour & {
      readonly id: string
      readonly key: string
      readonly version: string
      readonly workspace_id: string
    },
  ): Promise<ReadyAgent> {
    const { id, key, version, workspace_id: workspaceId, ...behaviour } = agent
    const base = { id, key, version, workspaceId, behaviour }
    if (agent.content !== null) return { ...base, template: agent.content, declared: [] }
    const prompt = await promptOf(db.read, agent, workspaceId)
    if (prompt === null) throw invalid('prompt_key', missing(agent))
    return { ...base, template: prompt.content, declared: prompt.variables }
  }
}

const foundVariable = (name: string): Variable => ({
  name,
  required: true,
  default: null,
  description: '',
  type: 'string',
  declared: false,
  used: true,
})
