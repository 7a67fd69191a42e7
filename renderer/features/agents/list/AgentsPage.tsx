import '../agents.texts.ts'
import { IconRobot } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import type { ProviderChoice } from '../../../../contract/models/provider-choice.ts'
import { t } from '../../../lib/i18n.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { DefinitionsPage } from '../../../shared/definitions/list/DefinitionsPage.tsx'
import { providerChoicesQuery } from '../../../shared/providers/providers.ts'
import type { FilterField } from '../../../ui/filter/filters.ts'
import { agentsQuery } from '../agents.queries.ts'
import { agentColumns } from './agents.columns.tsx'
import { agentsSearch } from './agents.search.ts'

const CreateAgent = lazy(() => import('./CreateAgent.tsx').then((m) => ({ default: m.CreateAgent })))

const filtersOf = (providers: readonly ProviderChoice[]): readonly FilterField[] => [
  {
    name: 'provider',
    label: t('agents:field.provider'),
    kind: 'choice',
    options: providers.map(({ name, label }) => ({ value: name, label })),
  },
  { name: 'prompt_key', label: t('agents:field.prompt'), kind: 'text' },
  { name: 'key', label: t('definition:field.key'), kind: 'text', isSingle: true },
]

export function AgentsPage() {
  const [search, setSearch] = useSearchState('/agents', agentsSearch)
  const query = useQuery(agentsQuery(search))
  const providers = useQuery(providerChoicesQuery).data ?? []
  return (
    <DefinitionsPage
      kind="agent"
      icon={<IconRobot size={28} stroke={1.5} />}
      search={search}
      onSearch={setSearch}
      filters={filtersOf(providers)}
      query={query}
      columnsFor={agentColumns}
      create={(onClose) => <CreateAgent workspace={search.workspace} onClose={onClose} />}
    />
  )
}
