import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { t } from '../../lib/i18n.ts'
import { defineResource, searchResultLimit } from '../../lib/page/resource.ts'
import { client } from '../../lib/service/api.ts'
import { usersSearch } from './users.search.ts'

export const users = defineResource({
  title: 'resources:users.title',
  icon: IconUsers,
  permission: 'users.manage',
  pages: [
    {
      path: '/users/{-$id}',
      search: usersSearch,
      component: lazyRouteComponent(() => import('./UsersPage.tsx'), 'UsersPage'),
    },
  ],
  navigation: { group: 'admin', jump: 'u' },
  items: {
    kind: 'user',
    path: '/users/{-$id}',
    find: {
      by: 'text',
      run: async (q, signal) => {
        const { data } = await client.users.list({ query: { q, limit: searchResultLimit } }, { signal })
        return data.map(({ id, username, role }) => ({
          id,
          label: username,
          description: t(`common:role.${role}`),
        }))
      },
    },
    create: { label: 'resources:users.create', icon: IconUserPlus, permission: 'users.manage' },
  },
})
