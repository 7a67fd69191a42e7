import '../../../shared/alerts/alerts.texts.ts'
import { Button } from '@mantine/core'
import { IconBell, IconHistory, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { type Alert, alertKinds } from '../../../../contract/alerts/alert.ts'
import { t } from '../../../lib/i18n.ts'
import { useOpenRow } from '../../../lib/page/drawer.ts'
import { useKeys } from '../../../lib/page/keys.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { usePaging } from '../../../lib/service/paging.ts'
import { useDisabledReason } from '../../../lib/session/me.ts'
import { useCreateForm } from '../../../lib/state/createForm.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Banner } from '../../../ui/feedback/Banner.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import type { FilterField } from '../../../ui/filter/filters.ts'
import { Page } from '../../../ui/page/Page.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import { useRowNavigation } from '../../../ui/page/rowNavigation.ts'
import { ColumnChooser } from '../../../ui/table/ColumnChooser.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { alertsQuery, defaultSort } from '../alerts.queries.ts'
import { alertsSearch } from '../alerts.search.ts'
import { useSentence } from '../useSentence.ts'
import { AlertDrawer } from './AlertDrawer.tsx'
import { alertColumns } from './alerts.columns.tsx'

const AlertForm = lazy(() =>
  import('../../../shared/alerts/form/AlertForm.tsx').then((module) => ({ default: module.AlertForm })),
)

const idOf = (alert: Alert): string => alert.id
const isOff = (alert: Alert): boolean => !alert.enabled
const none: readonly Alert[] = []
const fields: readonly FilterField[] = [
  {
    name: 'kind',
    label: t('alerts:filter.kind'),
    kind: 'choice',
    options: alertKinds.map((value) => ({ value, label: t(`alerts:kind.${value}`) })),
  },
]

/** The list of alerts with their state. */
export function AlertsPage() {
  const [search, setSearch] = useSearchState('/alerts/{-$id}', alertsSearch)
  const query = useQuery(alertsQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/alerts')
  const [isAdding, setAdding] = useCreateForm('alert', false)
  const disabledReason = useDisabledReason()('alerts.write')
  const sentence = useSentence()
  const columns = useMemo(() => alertColumns(sentence), [sentence])
  const isFiltered = search.q !== undefined || search.kind !== undefined
  const navigation = useRowNavigation({
    rows: query.data?.data ?? none,
    idOf,
    openId,
    onOpen: (alert) => open(alert.id),
    paging,
    page: search.cursor,
    isPlaceholder: query.isPlaceholderData,
  })
  useKeys(disabledReason === null ? [{ keys: 'n', label: t('alerts:add'), run: () => setAdding(true) }] : [])
  const add = (
    <WhyDisabled reason={disabledReason}>
      <Button leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
        {t('alerts:add')}
      </Button>
    </WhyDisabled>
  )
  const evaluationProblem = query.data?.evaluation.reason ?? null
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('alerts:title')}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t('alerts:purpose')}
          actions={
            <>
              <LinkButton
                variant="default"
                leftSection={<IconHistory size={14} />}
                to="/alert-history/{-$id}"
                params={{ id: undefined }}
              >
                {t('alerts:show_history')}
              </LinkButton>
              {add}
            </>
          }
        />
        {evaluationProblem !== null && <Banner tone="warn">{evaluationProblem}</Banner>}
        <FilterBar fields={fields} values={search} onChange={setSearch} searchLabel={t('alerts:search')}>
          <ColumnChooser table="alerts" columns={columns} />
        </FilterBar>
        <DataTable
          name="alerts"
          label={t('alerts:title')}
          query={query}
          columns={columns}
          idOf={idOf}
          isDimmed={isOff}
          paging={paging}
          sort={search.sort ?? defaultSort}
          onSort={(sort) => setSearch({ sort })}
          openId={openId}
          onOpen={(alert) => open(alert.id)}
          empty={
            <EmptyState
              icon={<IconBell size={28} stroke={1.5} />}
              title={t(isFiltered ? 'alerts:empty.filtered_title' : 'alerts:empty.title')}
              text={t(isFiltered ? 'alerts:empty.filtered' : 'alerts:empty.text')}
              action={
                isFiltered ? (
                  <Button variant="default" onClick={() => setSearch({ q: undefined, kind: undefined })}>
                    {t('common:filter.clear')}
                  </Button>
                ) : (
                  add
                )
              }
            />
          }
        />
      </Page>
      {openId !== undefined && <AlertDrawer id={openId} navigation={navigation} onClose={close} />}
      {isAdding && (
        <Suspense>
          <AlertForm
            alert={null}
            suggestion={{ workspace: search.workspace }}
            onClose={() => setAdding(false)}
            onSaved={(alert) => open(alert.id)}
          />
        </Suspense>
      )}
    </>
  )
}
