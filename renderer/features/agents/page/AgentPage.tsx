import '../agents.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { definitionQuery } from '../../../shared/definitions/definition.ts'
import { DefinitionGate } from '../../../shared/definitions/page/DefinitionGate.tsx'
import { AgentView } from './AgentView.tsx'

const route = getRouteApi('/signed-in/shell/agents/$id')

/** The page of one agent, loaded by the id in the URL. */
export function AgentPage() {
  const { id } = route.useParams()
  const query = useQuery(definitionQuery.agent(id))
  return (
    <DefinitionGate kind="agent" query={query}>
      {(agent) => <AgentView key={id} agent={agent} />}
    </DefinitionGate>
  )
}
