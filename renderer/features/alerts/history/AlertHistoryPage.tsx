import '../../../shared/alerts/alerts.texts.ts'
import { Button } from '@mantine/core'
import { IconBell, IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type AlertEvent, alertEventTypes } from '../../../../contract/alerts/alert-events.ts'
import { t } from '../../../lib/i18n.ts'
import { useOpenRow } from '../../../lib/page/drawer.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { usePaging } from '../../../lib/service/paging.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import type { FilterField } from '../../../ui/filter/filters.ts'
import { Page } from '../../../ui/page/Page.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import { useRowNavigation } from '../../../ui/page/rowNavigation.ts'
import { ColumnChooser } from '../../../ui/table/ColumnChooser.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { alertEventsQuery, defaultPeriod } from '../alerts.queries.ts'
import { alertHistorySearch } from '../alerts.search.ts'
import { EventDrawer } from './EventDrawer.tsx'
import { eventColumns } from './events.columns.tsx'

const columns = eventColumns()
const idOf = (event: AlertEvent): string => event.id
const none: readonly AlertEvent[] = []
const noFilters = { alert: undefined, type: undefined }

/** Returns the filters. The alerts on the page are suggestions by id, with their names. */
function fieldsOf(events: readonly AlertEvent[]): readonly FilterField[] {
  const names = new Map(events.map((event) => [event.alert_id, event.alert_name]))
  return [
    {
      name: 'type',
      label: t('alerts:filter.type'),
      kind: 'choice',
      options: alertEventTypes.map((value) => ({ value, label: t(`alerts:type.${value}`) })),
    },
    {
      name: 'alert',
      label: t('alerts:one'),
      kind: 'choice',
      options: [...names].map(([value, label]) => ({ value, label })),
    },
  ]
}

/** When alerts fired and were resolved, and how their webhooks were delivered. */
export function AlertHistoryPage() {
  const [search, setSearch] = useSearchState('/alert-history/{-$id}', alertHistorySearch)
  const query = useQuery(alertEventsQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/alert-history')
  const events = query.data?.data ?? none
  const isFiltered = search.alert !== undefined || search.type !== undefined
  const navigation = useRowNavigation({
    rows: events,
    idOf,
    openId,
    onOpen: (event) => open(event.id),
    paging,
    page: search.cursor,
    isPlaceholder: query.isPlaceholderData,
  })
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('alerts:history')}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t('alerts:history_purpose')}
          actions={
            <LinkButton
              variant="default"
              leftSection={<IconBell size={14} />}
              to="/alerts/{-$id}"
              params={{ id: undefined }}
            >
              {t('alerts:show_alerts')}
            </LinkButton>
          }
        />
        <FilterBar
          fields={fieldsOf(events)}
          values={search}
          onChange={setSearch}
          period={{ fallback: defaultPeriod }}
        >
          <ColumnChooser table="alert-history" columns={columns} />
        </FilterBar>
        <DataTable
          name="alert-history"
          label={t('alerts:history')}
          query={query}
          columns={columns}
          idOf={idOf}
          paging={paging}
          openId={openId}
          onOpen={(event) => open(event.id)}
          empty={
            <EmptyState
              icon={<IconHistory size={28} stroke={1.5} />}
              title={t(isFiltered ? 'alerts:empty.history_filtered_title' : 'alerts:empty.history_title')}
              text={t(isFiltered ? 'alerts:empty.history_filtered' : 'alerts:empty.history')}
              action={
                isFiltered && (
                  <Button variant="default" onClick={() => setSearch(noFilters)}>
                    {t('common:filter.clear')}
                  </Button>
                )
              }
            />
          }
        />
      </Page>
      {openId !== undefined && <EventDrawer id={openId} navigation={navigation} onClose={close} />}
    </>
  )
}
