import type { QueryInput } from '../../../../contract/client.ts'
import type { Endpoint } from '../../../../contract/common/endpoint.ts'
import { maxPageSize } from '../../../../contract/common/fields.ts'
import { promptTransfer, transferFormats } from '../../../../contract/prompts/prompt-transfer.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { ExportButton } from '../../../shared/transfer/ExportButton.tsx'
import type { PromptsSearch } from '../list/prompts.search.ts'
import { filtersOf } from '../prompts.queries.ts'

/**
 * Returns the query of the export. It cannot filter by free text or drafts, so those rows are listed by id.
 */
async function queryOf(search: PromptsSearch): Promise<QueryInput> {
  const { q, draft, include: _, ...filters } = { include: undefined, draft: undefined, ...filtersOf(search) }
  if (q === undefined && draft === undefined) return filters
  const matching = await client.prompts.list({
    query: { ...filters, q, draft, fields: 'summary', limit: maxPageSize },
  })
  return { id: matching.data.map(({ id }) => id) }
}

/** A button that exports the filtered prompts as a file. */
export function ExportPrompts({ search, total }: { readonly search: PromptsSearch; readonly total: number }) {
  const isListedById = search.q !== undefined || search.draft !== undefined
  const isTooMany = isListedById && total > maxPageSize
  return (
    <ExportButton
      endpoint={promptTransfer.export as unknown as Endpoint}
      formats={transferFormats}
      queryOf={() => queryOf(search)}
      fallbackName="prompts"
      heading={isTooMany ? t('prompts:export.first', { count: maxPageSize }) : undefined}
      width={240}
    />
  )
}
