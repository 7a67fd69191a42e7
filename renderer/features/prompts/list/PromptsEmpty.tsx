import { Button } from '@mantine/core'
import { IconMessage2Code, IconTrash } from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { ListEmpty } from '../../../shared/resources/list/ListEmpty.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { noFilters } from './prompts.filters.ts'
import type { PromptsSearch } from './prompts.search.ts'

type Props = {
  readonly search: PromptsSearch
  readonly setSearch: SetSearch<PromptsSearch>
  readonly addDisabledReason: string | null
  readonly onCreate: () => void
  readonly onImport: () => void
}

/** The reason why the list is empty, and the next step. */
export function PromptsEmpty({ search, setSearch, addDisabledReason, onCreate, onImport }: Props) {
  const isFiltered = Object.keys(noFilters).some((name) => search[name as keyof PromptsSearch] !== undefined)
  if (search.view === 'trash' && search.q === undefined) {
    return (
      <EmptyState
        icon={<IconTrash size={28} stroke={1.5} />}
        title={t('prompts:empty.trash')}
        text={t('prompts:empty.trash_text')}
        action={
          <Button variant="default" onClick={() => setSearch({ view: undefined })}>
            {t('prompts:empty.leave_trash')}
          </Button>
        }
      />
    )
  }
  return (
    <ListEmpty
      texts="prompts"
      icon={<IconMessage2Code size={28} stroke={1.5} />}
      filteredText={isFiltered ? t('prompts:empty.filtered_text') : null}
      onClear={() => setSearch(noFilters)}
      addDisabledReason={addDisabledReason}
      onCreate={onCreate}
      onImport={onImport}
    />
  )
}
