import '../workflows.texts.ts'
import { IconSitemap } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { t } from '../../../lib/i18n.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { DefinitionsPage } from '../../../shared/definitions/list/DefinitionsPage.tsx'
import type { FilterField } from '../../../ui/filter/filters.ts'
import { workflowsQuery } from '../workflows.queries.ts'
import { workflowColumns } from './workflows.columns.tsx'
import { workflowsSearch } from './workflows.search.ts'

const CreateWorkflow = lazy(() => import('./CreateWorkflow.tsx').then((m) => ({ default: m.CreateWorkflow })))

const filters: readonly FilterField[] = [
  { name: 'key', label: t('definition:field.key'), kind: 'text', isSingle: true },
]

export function WorkflowsPage() {
  const [search, setSearch] = useSearchState('/workflows', workflowsSearch)
  const query = useQuery(workflowsQuery(search))
  return (
    <DefinitionsPage
      kind="workflow"
      icon={<IconSitemap size={28} stroke={1.5} />}
      search={search}
      onSearch={setSearch}
      filters={filters}
      query={query}
      columnsFor={workflowColumns}
      create={(onClose) => <CreateWorkflow workspace={search.workspace} onClose={onClose} />}
    />
  )
}
