import type { AgentRow } from '../../../contract/agents/agent.ts'
import type { Query } from '../../db/types.ts'
import type { FilterQuery } from '../../definitions/definitions.read.ts'
import type { DefinitionRow } from '../../definitions/definitions.store.ts'
import { toWire } from '../../definitions/kind.ts'
import type { AgentBehaviour } from './behaviour.ts'

export async function storeFilterColumns(
  q: Query,
  id: string,
  { provider, prompt_key }: AgentBehaviour,
): Promise<void> {
  await q.updateTable('agents').set({ provider, prompt_key }).where('id', '=', id).execute()
}

export type AgentFilters = {
  readonly provider: string[] | undefined
  readonly prompt_key: string[] | undefined
}

/** Returns the filter of a list by provider and prompt. */
export const agentsWith =
  ({ provider, prompt_key }: AgentFilters): FilterQuery =>
  (found) => {
    if (provider === undefined && prompt_key === undefined) return found
    return found.where('d.id', 'in', (eb) => {
      let agents = eb.selectFrom('agents').select('agents.id')
      if (provider !== undefined) agents = agents.where('agents.provider', 'in', provider)
      return prompt_key === undefined ? agents : agents.where('agents.prompt_key', 'in', prompt_key)
    })
  }

export const rowToWire =
  (isSummary: boolean) =>
  (row: DefinitionRow): AgentRow => {
    const agent = toWire<AgentBehaviour>(row)
    if (!isSummary) return agent
    const { content, params, messages, tools, response_schema, ...rest } = agent
    return rest
  }
