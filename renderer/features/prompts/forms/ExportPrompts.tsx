import type { QueryInput } from '../../../../contract/client.ts'
import type { Endpoint } from '../../../../contract/common/endpoint.ts'
import { promptTransfer, transferFormats } from '../../../../contract/prompts/prompt-transfer.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { ExportButton } from '../../../shared/transfer/ExportButton.tsx'
import type { PromptsSearch } from '../list/prompts.search.ts'
import { filtersOf, widestPage } from '../prompts.queries.ts'

/**
 * Returns the query of the export. It cannot filter by free text or drafts, so those rows are listed by id.
 */
async function queryOf(search: PromptsSearch): Promise<QueryInput> {
  const { q, draft, include: _, ...filters } = { include: undefined, draft: undefined, ...filtersOf(search) }
  if (q === undefined && draft === undefined) return filters
  const found = await client.prompts.list({
    query: { ...filters, q, draft, fields: 'summary', limit: widestPage },
  })
  return { id: found.data.map(({ id }) => id) }
}

/** A button that exports the filtered prompts as a file. */
export function ExportPrompts({ search, total }: { readonly search: PromptsSearch; readonly total: number }) {
  const isNarrowed = search.q !== undefined || search.draft !== undefined
  const isTooMany = isNarrowed && total > widestPage
  return (
    <ExportButton
      endpoint={promptTransfer.export as unknown as Endpoint}
      formats={transferFormats}
      queryOf={() => queryOf(search)}
      fallbackName="prompts"
      what={isTooMany ? t('prompts:export.first', { count: widestPage }) : undefined}
      width={240}
    />
  )
}
