import '../workflows.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { definitionQuery } from '../../../shared/definitions/definition.ts'
import { DefinitionNotFound } from '../../../shared/definitions/page/DefinitionNotFound.tsx'
import { LoadedPage } from '../../../shared/resources/page/LoadedPage.tsx'
import { WorkflowView } from './WorkflowView.tsx'

const route = getRouteApi('/signed-in/shell/workflows/$id')

/** The page of one workflow, loaded by the id in the URL. */
export function WorkflowPage() {
  const { id } = route.useParams()
  const query = useQuery(definitionQuery.workflow(id))
  return (
    <LoadedPage query={query} notFound={<DefinitionNotFound kind="workflow" />}>
      {(workflow) => <WorkflowView key={id} workflow={workflow} />}
    </LoadedPage>
  )
}
