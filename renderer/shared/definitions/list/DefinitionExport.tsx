import { agents } from '../../../../contract/agents/agents.ts'
import type { QueryInput } from '../../../../contract/client.ts'
import type { Endpoint } from '../../../../contract/common/endpoint.ts'
import { definitionFormats } from '../../../../contract/definitions/definition.ts'
import { workflows } from '../../../../contract/workflows/workflows.ts'
import { ExportButton } from '../../transfer/ExportButton.tsx'
import type { Kind } from '../definition.ts'

type Props = {
  readonly kind: Kind
  /** Selects what is exported: the filters of the list, or the id of one. */
  readonly query: QueryInput
}

/** Menu that exports the filtered rows to a file that can be imported. */
export const DefinitionExport = ({ kind, query }: Props) => (
  <ExportButton
    endpoint={(kind === 'agent' ? agents : workflows).export as unknown as Endpoint}
    formats={definitionFormats}
    queryOf={() => query}
    fallbackName={`${kind}s`}
    width={200}
  />
)
