import '../workflows.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { definitionQuery } from '../../../shared/definitions/definition.ts'
import { DefinitionGone } from '../../../shared/definitions/page/DefinitionGone.tsx'
import { LoadGate } from '../../../shared/resources/page/LoadGate.tsx'
import { WorkflowView } from './WorkflowView.tsx'

const route = getRouteApi('/signed-in/shell/workflows/$id')

/** The page of one workflow, loaded by the id in the URL. */
export function WorkflowPage() {
  const { id } = route.useParams()
  const query = useQuery(definitionQuery.workflow(id))
  return (
    <LoadGate query={query} gone={<DefinitionGone kind="workflow" />}>
      {(workflow) => <WorkflowView key={id} workflow={workflow} />}
    </LoadGate>
  )
}
