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
import type { FilterField } from '../../../ui/filter/filters.ts'
import { FilteredEmpty } from '../../../ui/list/FilteredEmpty.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { useDrawerList } from '../../../ui/list/useDrawerList.ts'
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
const fields: readonly FilterField[] = [
  {
    name: 'kind',
    label: t('alerts:filter.kind'),
    kind: 'choice',
    options: alertKinds.map((value) => ({ value, label: t(`alerts:kind.${value}`) })),
  },
]

export function AlertsPage() {
  const [search, setSearch] = useSearchState('/alerts/{-$id}', alertsSearch)
  const query = useQuery(alertsQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/alerts')
  const [isAdding, setAdding] = useCreateForm('alert')
  const disabledReason = useDisabledReason()('alerts.write')
  const sentence = useSentence()
  const columns = useMemo(() => alertColumns(sentence), [sentence])
  const { updates, navigation } = useDrawerList(query, { search, paging, openId, open })
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
      <ListPage
        name="alerts"
        title={t('alerts:title')}
        purpose={t('alerts:purpose')}
        query={query}
        columns={columns}
        updates={updates}
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
        notice={evaluationProblem !== null && <Banner tone="warn">{evaluationProblem}</Banner>}
        filters={{ fields, values: search, onChange: setSearch, searchLabel: t('alerts:search') }}
        table={{
          idOf,
          isDimmed: isOff,
          paging,
          sort: search.sort ?? defaultSort,
          onSort: (sort) => setSearch({ sort }),
          openId,
          onOpen: (alert, isNewTab) => open(alert.id, isNewTab),
        }}
        empty={
          <FilteredEmpty
            icon={<IconBell size={28} stroke={1.5} />}
            isFiltered={search.q !== undefined || search.kind !== undefined}
            filtered={{ title: t('alerts:empty.filtered_title'), text: t('alerts:empty.filtered') }}
            onClear={() => setSearch({ q: undefined, kind: undefined })}
            unfiltered={{ title: t('alerts:empty.title'), text: t('alerts:empty.text'), action: add }}
          />
        }
      />
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
