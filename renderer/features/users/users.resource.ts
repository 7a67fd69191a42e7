import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
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
    find: { by: 'search' },
    create: { label: 'resources:users.create', icon: IconUserPlus, permission: 'users.manage' },
  },
})
