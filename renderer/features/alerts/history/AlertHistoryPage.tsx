import '../../../shared/alerts/alerts.texts.ts'
import { IconBell, IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type AlertEvent, alertEventTypes } from '../../../../contract/alerts/alert-events.ts'
import { t } from '../../../lib/i18n.ts'
import { useOpenRow } from '../../../lib/page/drawer.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { usePaging } from '../../../lib/service/paging.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import type { FilterField } from '../../../ui/filter/filters.ts'
import { FilteredEmpty } from '../../../ui/list/FilteredEmpty.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { useDrawerList } from '../../../ui/list/useDrawerList.ts'
import { alertEventsQuery, defaultPeriod } from '../alerts.queries.ts'
import { alertHistorySearch } from '../alerts.search.ts'
import { EventDrawer } from './EventDrawer.tsx'
import { eventColumns } from './events.columns.tsx'

const columns = eventColumns()
const idOf = (event: AlertEvent): string => event.id
const noFilters = { alert: undefined, type: undefined }

/** Returns the filters. The filter by alert offers the alerts of the listed events, by name. */
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

/** The history of alerts: their events, and the deliveries of their webhooks. */
export function AlertHistoryPage() {
  const [search, setSearch] = useSearchState('/alert-history/{-$id}', alertHistorySearch)
  const query = useQuery(alertEventsQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/alert-history')
  const { updates, navigation } = useDrawerList(query, { search, paging, openId, open })
  return (
    <>
      <ListPage
        name="alert-history"
        title={t('alerts:history')}
        purpose={t('alerts:history_purpose')}
        query={query}
        columns={columns}
        updates={updates}
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
        filters={{
          fields: fieldsOf(updates.rows),
          values: search,
          onChange: setSearch,
          period: { fallback: defaultPeriod },
        }}
        table={{ idOf, paging, openId, onOpen: (event, isNewTab) => open(event.id, isNewTab) }}
        empty={
          <FilteredEmpty
            icon={<IconHistory size={28} stroke={1.5} />}
            isFiltered={search.alert !== undefined || search.type !== undefined}
            filtered={{
              title: t('alerts:empty.history_filtered_title'),
              text: t('alerts:empty.history_filtered'),
            }}
            onClear={() => setSearch(noFilters)}
            unfiltered={{ title: t('alerts:empty.history_title'), text: t('alerts:empty.history') }}
          />
        }
      />
      {openId !== undefined && <EventDrawer id={openId} navigation={navigation} onClose={close} />}
    </>
  )
}
