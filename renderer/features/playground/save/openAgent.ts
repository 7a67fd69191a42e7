import type { QueryClient } from '@tanstack/react-query'
import type { Agent } from '../../../../contract/agents/agent.ts'
import { client } from '../../../lib/service/api.ts'
import { samplesOf } from '../../../lib/state/samples.ts'
import { typedParameters } from '../column/parameters.ts'
import { fetchBase } from '../input/base.ts'
import { saveToHistory, withBase } from '../opening.ts'
import { emptySetup, newColumn, newId, type Setup } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'

/**
 * Returns the setup with the agent's custom text, or the served version of its prompt; unchanged if nothing
 * is served.
 */
async function withText(setup: Setup, agent: Agent, queries: QueryClient): Promise<Setup> {
  if (agent.content !== null) return { ...setup, content: agent.content }
  const { prompt } = (await client.agents.input({ params: { id: agent.id } })).data
  const base = prompt === null ? null : await fetchBase(queries, prompt.id, prompt.version)
  return base === null || prompt === null ? setup : withBase(setup, base, prompt.key)
}

/**
 * Replaces the whole setup with an agent: text, messages, tools, schema, model, and the values last typed for
 * it.
 */
export async function openAgent(session: PlaygroundSession, queries: QueryClient, id: string): Promise<void> {
  const { data: agent } = await client.agents.get({ params: { id } })
  const { typed } = typedParameters(agent.params)
  const asJson = (value: unknown): string => JSON.stringify(value, null, 2)
  const column = { ...newColumn(), provider: agent.provider, model: agent.model ?? '', params: typed }
  const setup = await withText({ ...emptySetup(), columns: [column] }, agent, queries)
  await saveToHistory(session, queries)
  session.replace(
    {
      ...setup,
      messages: agent.messages.map((message) => ({ ...message, id: newId() })),
      tools: agent.tools.length === 0 ? '' : asJson(agent.tools),
      schema: agent.response_schema === null ? '' : asJson(agent.response_schema),
      workspace: agent.workspace_id,
      values: { ...samplesOf(session.owner, id) },
    },
    {},
  )
}
