import './agents.texts.ts'
import { Button } from '@mantine/core'
import { IconPlus, IconRobot, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import type { AgentRow } from '../../../contract/agent.ts'
import { providerNames } from '../../../contract/models.ts'
import { useAdding } from '../../lib/adding.ts'
import { useCalmRows } from '../../lib/calm.ts'
import { t } from '../../lib/i18n.ts'
import { useKeys } from '../../lib/keys.ts'
import { usePaging } from '../../lib/paging.ts'
import { useReading } from '../../lib/reading.ts'
import { useSearchState } from '../../lib/search.ts'
import { useSelection } from '../../lib/selection.ts'
import { ColumnChooser } from '../../ui/ColumnChooser.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { DefinitionBulk } from '../../ui/definition/DefinitionBulk.tsx'
import { DefinitionEmpty } from '../../ui/definition/DefinitionEmpty.tsx'
import { DefinitionExport } from '../../ui/definition/DefinitionExport.tsx'
import { DefinitionForms } from '../../ui/definition/DefinitionForms.tsx'
import styles from '../../ui/definition/list.module.css'
import { useDefinitionActions } from '../../ui/definition/useDefinitionActions.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import type { FilterField } from '../../ui/filters.ts'
import { Page } from '../../ui/Page.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { WhyDisabled } from '../../ui/WhyDisabled.tsx'
import { agentColumns } from './agents.columns.tsx'
import { agentsQuery, defaultSort } from './agents.queries.ts'
import { agentsSearch } from './agents.search.ts'

const CreateAgent = lazy(() => import('./CreateAgent.tsx').then((m) => ({ default: m.CreateAgent })))
const DefinitionImport = lazy(() =>
  import('../../ui/definition/DefinitionImport.tsx').then((m) => ({ default: m.DefinitionImport })),
)

const filters: readonly FilterField[] = [
  {
    name: 'provider',
    label: t('agents:field.provider'),
    kind: 'choice',
    options: providerNames.map((name) => ({ value: name, label: name })),
  },
  { name: 'prompt_key', label: t('agents:field.prompt'), kind: 'text' },
  { name: 'key', label: t('definition:field.key'), kind: 'text', isSingle: true },
]
const noFilters = { q: undefined, provider: undefined, prompt_key: undefined, key: undefined }
const none: readonly AgentRow[] = []
const idOf = (row: AgentRow): string => row.id
const nameOf = (row: AgentRow): string => row.key

/** Prompts with a model: every agent. */
export function AgentsPage() {
  const [search, setSearch] = useSearchState(agentsSearch)
  const navigate = useNavigate()
  const query = useQuery(agentsQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const [isCreating, setCreating] = useAdding('agent', false)
  const [isImporting, setImporting] = useState(false)
  const [isAtTop, setAtTop] = useState(true)
  const { isReading, watch } = useReading()
  const actions = useDefinitionActions('agent')
  const columns = useMemo(() => agentColumns(actions), [actions])
  const scope = JSON.stringify(search)
  const selection = useSelection(scope)
  const calm = useCalmRows(query.data?.data ?? none, idOf, {
    isHeld: !isAtTop || isReading || selection.ids.size > 0,
    scope,
    isPlaceholder: query.isPlaceholderData,
  })
  useKeys(
    actions.mayNotWrite === null
      ? [{ keys: 'n', label: t('agents:create.action'), run: () => setCreating(true) }]
      : [],
  )
  const { cursor: _cursor, sort: _sort, ...exported } = search
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('agents:title')}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t('agents:purpose')}
          actions={
            <>
              <WhyDisabled reason={actions.mayNotWrite}>
                <Button
                  variant="default"
                  leftSection={<IconUpload size={14} />}
                  onClick={() => setImporting(true)}
                >
                  {t('transfer:import.button')}
                </Button>
              </WhyDisabled>
              <DefinitionExport kind="agent" query={exported} />
              <WhyDisabled reason={actions.mayNotWrite}>
                <Button leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
                  {t('agents:create.action')}
                </Button>
              </WhyDisabled>
            </>
          }
        />
        <FilterBar fields={filters} values={search} onChange={setSearch} searchLabel={t('agents:search')}>
          <ColumnChooser table="agents" columns={columns} />
        </FilterBar>
        <div className={styles['fill']} {...watch}>
          <DataTable
            name="agents"
            label={t('agents:title')}
            query={query}
            rows={calm.rows}
            columns={columns}
            idOf={idOf}
            paging={paging}
            sort={search.sort ?? defaultSort}
            onSort={(sort) => setSearch(agentsSearch.pick({ sort: true }).parse({ sort }))}
            onOpen={(row) => void navigate({ to: '/agents/$id', params: { id: row.id } })}
            waiting={{
              count: calm.waiting,
              label: t('agents:waiting', { count: calm.waiting }),
              onShow: calm.release,
            }}
            onAtTop={setAtTop}
            {...(actions.mayNotWrite === null && {
              selection: {
                state: selection,
                nameOf,
                actions: (chosen: readonly AgentRow[]) => (
                  <DefinitionBulk rows={chosen} actions={actions} onDone={selection.clear} />
                ),
              },
            })}
            empty={
              <DefinitionEmpty
                icon={<IconRobot size={28} stroke={1.5} />}
                isFiltered={Object.keys(noFilters).some((name) => search[name as keyof typeof search])}
                onClear={() => setSearch(noFilters)}
                title={t('agents:empty.title')}
                text={t('agents:empty.text')}
                filtered={t('agents:empty.filtered')}
                whyNotAdd={actions.mayNotWrite}
                add={t('agents:create.action')}
                onAdd={() => setCreating(true)}
                onImport={() => setImporting(true)}
              />
            }
          />
        </div>
      </Page>
      <DefinitionForms actions={actions} />
      <Suspense>
        {isCreating && <CreateAgent workspace={search.workspace} onClose={() => setCreating(false)} />}
        {isImporting && (
          <DefinitionImport kind="agent" workspace={search.workspace} onClose={() => setImporting(false)} />
        )}
      </Suspense>
    </>
  )
}
