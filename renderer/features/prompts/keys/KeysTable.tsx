import type { ReactNode } from 'react'
import { keySorts } from '../../../../contract/prompts/prompt-keys.ts'
import { useOpenPage } from '../../../lib/page/openPage.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import type { ListQuery } from '../../../lib/service/api.ts'
import type { Selection } from '../../../lib/state/selection.ts'
import { ResourceTable } from '../../../shared/resources/list/ResourceTable.tsx'
import type { Column } from '../../../ui/table/columns.ts'
import type { BulkRequest } from '../bulk/BulkDialogs.tsx'
import { PromptBulk } from '../bulk/PromptBulk.tsx'
import type { PromptsSearch } from '../list/prompts.search.ts'
import type { PromptActions } from '../usePromptActions.tsx'
import type { KeyRow } from './keyRow.ts'

type Props = {
  readonly search: PromptsSearch
  readonly setSearch: SetSearch<PromptsSearch>
  readonly query: ListQuery<KeyRow>
  readonly columns: readonly Column<KeyRow>[]
  readonly actions: PromptActions
  readonly selection: Selection
  readonly onBulk: (request: BulkRequest) => void
  readonly empty: NonNullable<ReactNode>
}

const nameOf = ({ key }: KeyRow): string => key

/** Returns the environment that a row opens: the filtered one, else the first. */
const openedCell = ({ envs }: KeyRow, filtered: PromptsSearch['env']) =>
  envs.find(({ env }) => filtered?.length === 1 && env === filtered[0]) ?? envs[0]

/** The table of keys: one row per key, with a matrix of its environments. */
export function KeysTable(props: Props) {
  const { search, setSearch, query, columns, actions, selection, onBulk, empty } = props
  const openPage = useOpenPage()
  return (
    <ResourceTable
      texts="prompts"
      search={search}
      query={query}
      columns={columns}
      onSort={(sort) => setSearch({ sort: keySorts.find((name) => name === sort) })}
      table={{
        onOpen: (row, isNewTab) => {
          const cell = openedCell(row, search.env)
          if (cell !== undefined) openPage({ to: '/prompts/$id', params: { id: cell.id } }, isNewTab)
        },
        selection: {
          state: selection,
          nameOf,
          actions: (rows) => <PromptBulk rows={rows} actions={actions} onOpen={onBulk} />,
        },
      }}
      empty={empty}
    />
  )
}
