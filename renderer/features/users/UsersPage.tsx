import './users.texts.ts'
import { Button } from '@mantine/core'
import { IconPlus, IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import type { User } from '../../../contract/accounts/users.ts'
import { roles } from '../../../contract/common/roles.ts'
import { t } from '../../lib/i18n.ts'
import { useOpenRow } from '../../lib/page/drawer.ts'
import { useKeys } from '../../lib/page/keys.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { usePaging } from '../../lib/service/paging.ts'
import { useIsAllowed, useMe } from '../../lib/session/me.ts'
import { useCreateForm } from '../../lib/state/createForm.ts'
import { draftName, hasDraft } from '../../lib/state/drafts.ts'
import { usePausedRows } from '../../lib/state/pausedRows.ts'
import { useSelection } from '../../lib/state/selection.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ForbiddenState } from '../../ui/feedback/ForbiddenState.tsx'
import { FilterBar } from '../../ui/filter/FilterBar.tsx'
import type { FilterField } from '../../ui/filter/filters.ts'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { useRowNavigation } from '../../ui/page/rowNavigation.ts'
import { ColumnChooser } from '../../ui/table/ColumnChooser.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { UserDrawer } from './UserDrawer.tsx'
import { useUserActions } from './userActions.tsx'
import { userColumns } from './users.columns.tsx'
import { defaultSort, usersQuery } from './users.queries.ts'
import { usersSearch } from './users.search.ts'

const UserForm = lazy(() => import('./UserForm.tsx').then((module) => ({ default: module.UserForm })))

const UserBulk = lazy(() => import('./UserBulk.tsx').then((module) => ({ default: module.UserBulk })))

const filters: readonly FilterField[] = [
  {
    name: 'role',
    label: t('users:column.role'),
    kind: 'choice',
    options: roles.map((role) => ({ value: role, label: t(`common:role.${role}`) })),
  },
  {
    name: 'disabled',
    label: t('users:column.state'),
    kind: 'choice',
    isSingle: true,
    options: [
      { value: 'false', label: t('users:active') },
      { value: 'true', label: t('users:disabled') },
    ],
  },
]
const idOf = (user: User): string => user.id
const nameOf = (user: User): string => user.username
const none: readonly User[] = []

/** The list of users and their roles; only for admins. */
export function UsersPage() {
  if (useIsAllowed('users.manage')) return <Users />
  return (
    <Page>
      <PageHeader title={t('users:title')} purpose={t('users:purpose')} />
      <ForbiddenState requiredRole="admin" />
    </Page>
  )
}

function Users() {
  const [search, setSearch] = useSearchState('/users/{-$id}', usersSearch)
  const query = useQuery(usersQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/users')
  const me = useMe()
  const [isAdding, setAdding] = useCreateForm('user', hasDraft(draftName('user'), me.username))
  const actions = useUserActions()
  const columns = useMemo(() => userColumns(actions), [actions])
  useKeys([{ keys: 'n', label: t('users:add'), run: () => setAdding(true) }])
  const isFiltered = search.q !== undefined || search.role !== undefined || search.disabled !== undefined
  const scope = JSON.stringify(search)
  const selection = useSelection(scope)
  const { rows, newCount, newCountText, showNew } = usePausedRows(query.data?.data ?? none, idOf, {
    isPaused: selection.ids.size > 0,
    scope,
    isPlaceholder: query.isPlaceholderData,
    total: query.data?.total,
  })
  const navigation = useRowNavigation({
    rows,
    idOf,
    openId,
    onOpen: (user) => open(user.id),
    paging,
    page: search.cursor,
    isPlaceholder: query.isPlaceholderData,
  })
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('users:title')}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t('users:purpose')}
          actions={
            <>
              <LinkButton variant="default" to="/devices" state={{ add: 'device' }}>
                {t('users:add_device')}
              </LinkButton>
              <Button leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
                {t('users:add')}
              </Button>
            </>
          }
        />
        <FilterBar fields={filters} values={search} onChange={setSearch} searchLabel={t('users:search')}>
          <ColumnChooser table="users" columns={columns} />
        </FilterBar>
        <DataTable
          name="users"
          label={t('users:title')}
          query={query}
          rows={rows}
          columns={columns}
          idOf={idOf}
          paging={paging}
          sort={search.sort ?? defaultSort}
          onSort={(sort) => setSearch({ sort })}
          openId={openId}
          onOpen={(user) => open(user.id)}
          isDimmed={(user) => user.disabled}
          pendingRows={{
            count: newCount,
            label: t('users:waiting', { count: newCount, shown: newCountText }),
            onShow: showNew,
          }}
          selection={{
            state: selection,
            nameOf,
            actions: (chosen) => (
              <Suspense>
                <UserBulk users={chosen} onDone={selection.clear} />
              </Suspense>
            ),
          }}
          empty={
            <EmptyState
              icon={<IconUsers size={28} stroke={1.5} />}
              title={t(isFiltered ? 'users:empty.filtered_title' : 'users:empty.title')}
              text={t(isFiltered ? 'users:empty.filtered' : 'users:empty.text')}
              action={
                isFiltered && (
                  <Button
                    variant="default"
                    onClick={() => setSearch({ q: undefined, role: undefined, disabled: undefined })}
                  >
                    {t('common:filter.clear')}
                  </Button>
                )
              }
            />
          }
        />
      </Page>
      {openId !== undefined && (
        <UserDrawer key="drawer" id={openId} actions={actions} navigation={navigation} onClose={close} />
      )}
      {isAdding && (
        <Suspense>
          <UserForm user={null} onClose={() => setAdding(false)} onSaved={(user) => open(user.id)} />
        </Suspense>
      )}
    </>
  )
}
