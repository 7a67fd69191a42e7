import type { z } from 'zod'
import type {
  CreateAgentBody,
  ExportAgentsQuery,
  ListAgentsQuery,
  UpdateAgentBody,
} from '../../../contract/agents/agent.ts'
import { allDefinitions, listDefinitions } from '../../definitions/definitions.read.ts'
import { createDefinitions, type DefinitionsDeps } from '../../definitions/definitions.ts'
import type { Kind } from '../../definitions/kind.ts'
import { createTransfer, type Importer } from '../../definitions/transfer.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { type AgentFilters, agentsWith, rowToWire, storeFilterColumns } from './agents.store.ts'
import { type AgentBehaviour, behaviourBy, behaviourIn } from './behaviour.ts'
import { type AgentTexts, agentTexts, type FindServed, runnable } from './ready.ts'

export type AgentsDeps = DefinitionsDeps & { readonly served: FindServed }

const kind: Kind<AgentBehaviour> = {
  noun: 'agent',
  keyTaken: 'agent.key_taken',
  textOf: ({ prompt_key, content, provider, model, messages }) =>
    [prompt_key, provider, model, content, ...messages.map((message) => message.content)].join(' '),
  storeFilterColumns,
}

export type AgentsService = ReturnType<typeof createAgentsService>

export function createAgentsService(deps: AgentsDeps) {
  const { db } = deps
  const { on, create, update, operations } = createDefinitions(deps, kind)
  const texts = agentTexts(deps.served)
  const transfer = createTransfer({ ...on, readFiles: deps.readFiles }, importerOf(texts))

  return {
    ...operations,
    ...runnable(on, texts),
    list: (_ctx: Context, { provider, prompt_key, fields, ...query }: z.output<typeof ListAgentsQuery>) =>
      listDefinitions(db.read, on.store, query, agentsWith({ provider, prompt_key }), async () =>
        rowToWire(fields === 'summary'),
      ),
    create: (ctx: Context, body: z.output<typeof CreateAgentBody>) =>
      create(ctx, body, () => behaviourBy(null, body)),
    update: (ctx: Context, id: string, body: z.output<typeof UpdateAgentBody>, ifMatch: string | null) =>
      update(ctx, id, body, ifMatch, (_q, before) => behaviourBy(before, body)),

    async export(
      ctx: Context,
      { format, provider, prompt_key, ...filters }: z.output<typeof ExportAgentsQuery>,
    ): Promise<Download> {
      const narrow = agentsWith({ provider, prompt_key } satisfies AgentFilters)
      return transfer.export(ctx, format, await allDefinitions(db.read, on.store, filters, narrow))
    },
    import: transfer.import,
  }
}

const importerOf = ({ promptOf, missing }: AgentTexts): Importer<AgentBehaviour> => ({
  read: behaviourIn,
  notes: async (q, behaviour, workspaceId) =>
    behaviour.prompt_key === null || (await promptOf(q, behaviour, workspaceId)) !== null
      ? []
      : [missing(behaviour)],
  write: ({ prompt_key, content, ...rest }) =>
    prompt_key === null ? { content, ...rest } : { prompt_key, ...rest },
})
