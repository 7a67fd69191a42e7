import '../agents.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { definitionQuery } from '../../../shared/definitions/definition.ts'
import { DefinitionNotFound } from '../../../shared/definitions/page/DefinitionNotFound.tsx'
import { LoadedPage } from '../../../shared/resources/page/LoadedPage.tsx'
import { AgentView } from './AgentView.tsx'

const route = getRouteApi('/signed-in/shell/agents/$id')

/** The page of one agent, loaded by the id in the URL. */
export function AgentPage() {
  const { id } = route.useParams()
  const query = useQuery(definitionQuery.agent(id))
  return (
    <LoadedPage query={query} notFound={<DefinitionNotFound kind="agent" />}>
      {(agent) => <AgentView key={id} agent={agent} />}
    </LoadedPage>
  )
}
