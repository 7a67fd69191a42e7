import '../agents.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { definitionQuery } from '../../../shared/definitions/definition.ts'
import { DefinitionGone } from '../../../shared/definitions/page/DefinitionGone.tsx'
import { LoadGate } from '../../../shared/resources/page/LoadGate.tsx'
import { AgentView } from './AgentView.tsx'

const route = getRouteApi('/signed-in/shell/agents/$id')

/** The page of one agent, loaded by the id in the URL. */
export function AgentPage() {
  const { id } = route.useParams()
  const query = useQuery(definitionQuery.agent(id))
  return (
    <LoadGate query={query} gone={<DefinitionGone kind="agent" />}>
      {(agent) => <AgentView key={id} agent={agent} />}
    </LoadGate>
  )
}
