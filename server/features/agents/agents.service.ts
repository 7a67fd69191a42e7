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
import { type AgentBehaviour, changedBehaviour, type HasProvider, importedBehaviour } from './behaviour.ts'
import { type AgentTexts, agentTexts, type FindServed, runnable } from './ready.ts'

export type AgentsDeps = DefinitionsDeps & {
  readonly findServed: FindServed
  readonly hasProvider: HasProvider
}

const kind: Kind<AgentBehaviour> = {
  noun: 'agent',
  keyTaken: 'agent.key_taken',
  textOf: ({ prompt_key, content, provider, model, messages }) =>
    [prompt_key, provider, model, content, ...messages.map((message) => message.content)].join(' '),
  storeFilterColumns,
}

export type AgentsService = ReturnType<typeof createAgentsService>

export function createAgentsService(deps: AgentsDeps) {
  const { db, hasProvider } = deps
  const { definitions, create, update, operations } = createDefinitions(deps, kind)
  const texts = agentTexts(deps.findServed)
  const transfer = createTransfer(
    { ...definitions, readFiles: deps.readFiles },
    importerOf(texts, hasProvider),
  )

  return {
    ...operations,
    ...runnable(definitions, texts),
    list: (ctx: Context, { provider, prompt_key, fields, ...query }: z.output<typeof ListAgentsQuery>) =>
      listDefinitions(
        db.read,
        ctx.scope,
        definitions.store,
        query,
        agentsWith({ provider, prompt_key }),
        async () => rowToWire(fields === 'summary'),
      ),
    create: (ctx: Context, body: z.output<typeof CreateAgentBody>) =>
      create(ctx, body, () => changedBehaviour(null, body, hasProvider)),
    update: (ctx: Context, id: string, body: z.output<typeof UpdateAgentBody>, ifMatch: string | null) =>
      update(ctx, id, body, ifMatch, (_q, before) => changedBehaviour(before, body, hasProvider)),

    async export(
      ctx: Context,
      { format, provider, prompt_key, ...filters }: z.output<typeof ExportAgentsQuery>,
    ): Promise<Download> {
      const narrow = agentsWith({ provider, prompt_key } satisfies AgentFilters)
      const ids = await allDefinitions(db.read, ctx.scope, definitions.store, filters, narrow)
      return transfer.export(ctx, format, ids)
    },
    import: transfer.import,
  }
}

const importerOf = (
  { findPrompt, notServed }: AgentTexts,
  hasProvider: HasProvider,
): Importer<AgentBehaviour> => ({
  read: (fields, before) => importedBehaviour(fields, before, hasProvider),
  notes: async (q, behaviour, workspaceId) =>
    behaviour.prompt_key === null || (await findPrompt(q, behaviour, workspaceId)) !== null
      ? []
      : [notServed(behaviour)],
  write: ({ prompt_key, content, ...rest }) =>
    prompt_key === null ? { content, ...rest } : { prompt_key, ...rest },
})
