import type { AgentInput } from '../../../contract/agents/agent.ts'
import type { DefinitionHead } from '../../../contract/definitions/definition.ts'
import { variablesIn } from '../../../contract/formats/template.ts'
import { type ChatTemplate, chatPlaceholders } from '../../../contract/models/chat.ts'
import type { Variable } from '../../../contract/prompts/prompt.ts'
import type { PromptMessages } from '../../../contract/prompts/prompt-chat.ts'
import type { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import { withPromptParams } from '../../calls/request/prompt-params.ts'
import type { Query } from '../../db/types.ts'
import { type Definitions, required } from '../../definitions/changes.ts'
import { behaviourOf, toWire } from '../../definitions/kind.ts'
import type { Context } from '../../lib/context.ts'
import { invalid } from '../../lib/fail.ts'
import { labelOf } from '../../resources/versions.ts'
import type { AgentBehaviour } from './behaviour.ts'

/** The served prompt under a key, with the fields that a run needs. */
export type ServedPrompt = {
  readonly id: string
  readonly version: string
  readonly content: string
  readonly messages: PromptMessages | null
  readonly params: PromptParams
  readonly variables: readonly Variable[]
}
export type FindServed = (
  q: Query,
  at: { readonly workspaceId: string; readonly key: string; readonly env: AgentBehaviour['env'] },
) => Promise<ServedPrompt | null>

/** An agent with the text that it runs now. */
export type ReadyAgent = {
  readonly id: string
  readonly key: string
  readonly version: string
  readonly workspaceId: string
  /** The behaviour; parameters that it does not set are those of the prompt. */
  readonly behaviour: AgentBehaviour
  readonly isJson: boolean
  readonly template: string | ChatTemplate
  readonly declared: readonly Variable[]
}

type PromptRef = Pick<AgentBehaviour, 'prompt_key' | 'env'>

/** Finds the text of an agent that runs a prompt. */
export const agentTexts = (findServed: FindServed) => ({
  /** Returns the served prompt; null if there is none, or if the agent has a custom text. */
  findPrompt: async (q: Query, { prompt_key: key, env }: PromptRef, workspaceId: string) =>
    key === null ? null : findServed(q, { workspaceId, key, env }),
  notServed: ({ prompt_key, env }: PromptRef) =>
    `The prompt ${prompt_key} has no served version in ${env} of the workspace of the agent`,
})
export type AgentTexts = ReturnType<typeof agentTexts>

/** The operations that prepare a run. */
export function runnable(definitions: Definitions<AgentBehaviour>, { findPrompt, notServed }: AgentTexts) {
  const { db, store } = definitions

  async function ready(agent: DefinitionHead & AgentBehaviour): Promise<ReadyAgent> {
    const { id, key, version, workspace_id: workspaceId, ...behaviour } = agent
    const base = { id, key, version, workspaceId, behaviour }
    if (agent.content !== null) return { ...base, isJson: false, template: agent.content, declared: [] }
    const prompt = await findPrompt(db.read, agent, workspaceId)
    if (prompt === null) throw invalid('prompt_key', notServed(agent))
    const { params, tools, response_schema: responseSchema } = behaviour
    const { isJson, ...settings } = withPromptParams({ params, tools, responseSchema }, prompt.params)
    return {
      ...base,
      behaviour: {
        ...behaviour,
        params: settings.params,
        tools: [...settings.tools],
        response_schema: settings.responseSchema,
      },
      isJson,
      template: prompt.messages ?? prompt.content,
      declared: prompt.variables,
    }
  }

  return {
    async input(ctx: Context, id: string): Promise<AgentInput> {
      const agent = toWire<AgentBehaviour>(await required(definitions, db.read, ctx.scope, id))
      if (agent.content !== null) {
        const variables = variablesIn(agent.content).map(undeclaredVariable)
        return { variables, placeholders: [], prompt: null, ready: true, reason: null }
      }
      const prompt = await findPrompt(db.read, agent, agent.workspace_id)
      if (prompt === null)
        return { variables: [], placeholders: [], prompt: null, ready: false, reason: notServed(agent) }
      const { id: promptId, version, variables } = prompt
      const key = agent.prompt_key ?? ''
      return {
        variables: [...variables],
        placeholders: chatPlaceholders(prompt.messages ?? []),
        prompt: { id: promptId, key, env: agent.env, version },
        ready: true,
        reason: null,
      }
    },

    /** Returns the agent in a version. Throws 404, or 422 that names `version` or `prompt_key`. */
    async ready(ctx: Context, id: string, version?: number): Promise<ReadyAgent> {
      const row = await required(definitions, db.read, ctx.scope, id)
      const agent = toWire<AgentBehaviour>(row)
      if (version === undefined) return ready(agent)
      const stored = await store.findVersion(db.read, id, version)
      if (stored === undefined)
        throw invalid('version', `Version v${version} not found; the newest is ${agent.version}`)
      return ready({ ...agent, ...behaviourOf<AgentBehaviour>(stored), version: labelOf(version) })
    },

    /** Returns the agent with the key; null if there is none. Throws 422 that names `prompt_key`. */
    async readyAt(workspaceId: string, key: string): Promise<ReadyAgent | null> {
      const row = await store.findAt(db.read, workspaceId, key)
      return row === undefined ? null : ready(toWire<AgentBehaviour>(row))
    },
    /** Returns true if the workspace has an agent with the key. */
    has: async (q: Query, workspaceId: string, key: string): Promise<boolean> =>
      (await store.findAt(q, workspaceId, key)) !== undefined,
  }
}

const undeclaredVariable = (name: string): Variable => ({
  name,
  required: true,
  default: null,
  description: '',
  type: 'string',
  declared: false,
  used: true,
})
