import { IconPlugConnected } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { client } from '../../lib/service/api.ts'
import { clientsSearch } from './clients.search.ts'

export const clients = defineResource({
  title: 'resources:clients.title',
  icon: IconPlugConnected,
  permission: 'clients.read',
  pages: [
    {
      path: '/clients/{-$id}',
      search: clientsSearch,
      component: lazyRouteComponent(() => import('./ClientsPage.tsx'), 'ClientsPage'),
    },
  ],
  navigation: {
    group: 'observe',
    jump: 'c',
    count: async (signal) =>
      (await client.clients.list({ query: { limit: 1, kind: 'app' } }, { signal })).total,
  },
  items: {
    kind: 'client',
    path: '/clients/{-$id}',
    find: { by: 'search' },
  },
})
