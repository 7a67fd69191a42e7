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
import { useIsAllowed } from '../../lib/session/me.ts'
import { useCreateForm } from '../../lib/state/createForm.ts'
import { useSelection } from '../../lib/state/selection.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { ForbiddenState } from '../../ui/feedback/ForbiddenState.tsx'
import type { FilterField } from '../../ui/filter/filters.ts'
import { FilteredEmpty } from '../../ui/list/FilteredEmpty.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useDrawerList } from '../../ui/list/useDrawerList.ts'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
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
  const [isAdding, setAdding] = useCreateForm('user')
  const actions = useUserActions()
  const columns = useMemo(() => userColumns(actions), [actions])
  useKeys([{ keys: 'n', label: t('users:add'), run: () => setAdding(true) }])
  const scope = JSON.stringify(search)
  const selection = useSelection(scope)
  const { updates, navigation } = useDrawerList(query, {
    search,
    paging,
    openId,
    open,
    isSelecting: selection.ids.size > 0,
    waitingLabel: (count, shown) => t('users:waiting', { count, shown }),
  })
  return (
    <>
      <ListPage
        name="users"
        title={t('users:title')}
        purpose={t('users:purpose')}
        query={query}
        columns={columns}
        updates={updates}
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
        filters={{ fields: filters, values: search, onChange: setSearch, searchLabel: t('users:search') }}
        table={{
          idOf,
          paging,
          sort: search.sort ?? defaultSort,
          onSort: (sort) => setSearch({ sort }),
          openId,
          onOpen: (user, isNewTab) => open(user.id, isNewTab),
          isDimmed: (user) => user.disabled,
          selection: {
            state: selection,
            nameOf,
            actions: (chosen) => (
              <Suspense>
                <UserBulk users={chosen} onDone={selection.keep} />
              </Suspense>
            ),
          },
        }}
        empty={
          <FilteredEmpty
            icon={<IconUsers size={28} stroke={1.5} />}
            isFiltered={search.q !== undefined || search.role !== undefined || search.disabled !== undefined}
            filtered={{ title: t('users:empty.filtered_title'), text: t('users:empty.filtered') }}
            onClear={() => setSearch({ q: undefined, role: undefined, disabled: undefined })}
            unfiltered={{ title: t('users:empty.title'), text: t('users:empty.text') }}
          />
        }
      />
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
