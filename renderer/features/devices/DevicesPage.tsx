import './devices.texts.ts'
import '../../shared/pairing/pairing.texts.ts'
import { Button } from '@mantine/core'
import { IconDevices, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { type Device, deviceKinds } from '../../../contract/accounts/devices.ts'
import { t } from '../../lib/i18n.ts'
import { useKeys } from '../../lib/page/keys.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { usePaging } from '../../lib/service/paging.ts'
import { useIsAllowed } from '../../lib/session/me.ts'
import { useCreateForm } from '../../lib/state/createForm.ts'
import { usePausedRows } from '../../lib/state/pausedRows.ts'
import { useDialogState } from '../../lib/state/useDraft.ts'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { FilterBar } from '../../ui/filter/FilterBar.tsx'
import type { FilterField } from '../../ui/filter/filters.ts'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { ColumnChooser } from '../../ui/table/ColumnChooser.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { deviceColumns } from './devices.columns.tsx'
import { defaultSort, devicesQuery } from './devices.queries.ts'
import { type DevicesSearch, devicesSearch } from './devices.search.ts'
import { PendingRequests } from './PendingRequests.tsx'
import { RenameDevice } from './RenameDevice.tsx'

const AddDevice = lazy(() =>
  import('../../shared/pairing/AddDevice.tsx').then((module) => ({ default: module.AddDevice })),
)

const kindField: FilterField = {
  name: 'kind',
  label: t('devices:column.kind'),
  kind: 'choice',
  options: deviceKinds.map((kind) => ({ value: kind, label: t(`pairing:kind.${kind}`) })),
}
const stateField: FilterField = {
  name: 'state',
  label: t('devices:column.state'),
  kind: 'choice',
  isSingle: true,
  options: [
    { value: 'active', label: t('devices:active') },
    { value: 'expired', label: t('devices:expired') },
  ],
}
const ownerField: FilterField = {
  name: 'owner',
  label: t('devices:owner'),
  kind: 'choice',
  isSingle: true,
  options: [
    { value: 'me', label: t('devices:owner_me') },
    { value: 'all', label: t('devices:owner_all') },
  ],
}
const ownFilters = [kindField, stateField]
const allFilters = [...ownFilters, ownerField]

const idOf = (device: Device): string => device.id
const none: readonly Device[] = []

function useDeviceActions(rename: (device: Device) => void) {
  const queries = useQueryClient()
  return useMemo(() => {
    const revoke = (device: Device): Promise<boolean> =>
      confirm({
        title: t('devices:revoke_title', { name: device.name }),
        body: (
          <>
            {t(device.token_id === null ? 'devices:revoke_person' : 'devices:revoke_app', {
              name: device.name,
            })}
            {device.is_current && <p>{t('devices:revoke_this')}</p>}
          </>
        ),
        action: t('devices:revoke_action'),
        isDangerous: true,
        run: async () => {
          await client.devices.revoke({ params: { id: device.id } })
          await invalidateEntities(queries, 'device', 'session', 'token', 'audit')
          toast(t('devices:revoked', { name: device.name }))
        },
      })
    return { rename, revoke: (device: Device) => void revoke(device) }
  }, [queries, rename])
}

/** The paired devices: all of them for admins, own ones for other users. */
export function DevicesPage() {
  const isAdmin = useIsAllowed('devices.manage')
  const [search, setSearch] = useSearchState('/devices', devicesSearch)
  const query = useQuery(devicesQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const [isAdding, setAdding] = useCreateForm('device')
  const [renamed, setRenamed] = useDialogState<Device>('device.rename')
  const actions = useDeviceActions(setRenamed)
  const columns = useMemo(() => deviceColumns(actions), [actions])
  useKeys(isAdmin ? [{ keys: 'n', label: t('pairing:add'), run: () => setAdding(true) }] : [])
  const { rows, newCount, newCountText, showNew } = usePausedRows(query.data?.data ?? none, idOf, {
    isPaused: false,
    scope: JSON.stringify(search),
    isPlaceholder: query.isPlaceholderData,
    total: query.data?.total,
  })
  const addButton = (variant: 'filled' | 'default') =>
    isAdmin && (
      <Button variant={variant} leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
        {t('pairing:add')}
      </Button>
    )
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('devices:title')}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t(isAdmin ? 'devices:purpose' : 'devices:purpose_own')}
          actions={addButton('filled')}
        />
        {isAdmin && !isAdding && <PendingRequests />}
        <FilterBar
          fields={isAdmin ? allFilters : ownFilters}
          values={search}
          onChange={setSearch}
          searchLabel={t('devices:search')}
        >
          <ColumnChooser table="devices" columns={columns} />
        </FilterBar>
        <DataTable
          name="devices"
          label={t('devices:title')}
          query={query}
          rows={rows}
          columns={columns}
          idOf={idOf}
          paging={paging}
          sort={search.sort ?? defaultSort}
          onSort={(sort) => setSearch({ sort })}
          isDimmed={(device) => device.state === 'expired'}
          pendingRows={{
            count: newCount,
            label: t('devices:waiting', { count: newCount, shown: newCountText }),
            onShow: showNew,
          }}
          empty={
            <NoDevices search={search} isAdmin={isAdmin} onClear={setSearch} action={addButton('default')} />
          }
        />
      </Page>
      {renamed !== null && <RenameDevice device={renamed} onClose={() => setRenamed(null)} />}
      {isAdding && (
        <Suspense>
          <AddDevice onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </>
  )
}

type NoDevicesProps = {
  readonly search: DevicesSearch
  readonly isAdmin: boolean
  readonly onClear: (search: { q: undefined; kind: undefined; state: undefined; owner: undefined }) => void
  readonly action: React.ReactNode
}

function NoDevices({ search, isAdmin, onClear, action }: NoDevicesProps) {
  const { q, kind, state, owner } = search
  const isFiltered = [q, kind, state, owner].some((value) => value !== undefined)
  const reason = isFiltered ? 'devices:empty.filtered' : isAdmin ? 'devices:empty.text' : 'devices:empty.own'
  return (
    <EmptyState
      icon={<IconDevices size={28} stroke={1.5} />}
      title={t(isFiltered ? 'devices:empty.filtered_title' : 'devices:empty.title')}
      text={t(reason)}
      action={
        isFiltered ? (
          <Button
            variant="default"
            onClick={() => onClear({ q: undefined, kind: undefined, state: undefined, owner: undefined })}
          >
            {t('common:filter.clear')}
          </Button>
        ) : (
          action
        )
      }
    />
  )
}
