import type { Endpoint } from '../../../../contract/common/endpoint.ts'
import { promptTransfer, transferFormats } from '../../../../contract/prompts/prompt-transfer.ts'
import { ExportButton } from '../../../shared/transfer/ExportButton.tsx'
import type { PromptsSearch } from '../list/prompts.search.ts'
import { previewExport } from './previewExport.ts'

/** A button that exports the filtered prompts as a file. */
export function ExportPrompts({ search }: { readonly search: PromptsSearch }) {
  const { cursor: _cursor, sort: _sort, view: _view, ...filters } = search
  return (
    <ExportButton
      endpoint={promptTransfer.export as unknown as Endpoint}
      formats={transferFormats}
      queryOf={() => filters}
      previewOf={previewExport}
      fallbackName="prompts"
      width={240}
    />
  )
}
