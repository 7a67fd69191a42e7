import { IconBell } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource, searchResultLimit } from '../../lib/page/resource.ts'
import { client } from '../../lib/service/api.ts'
import { alertHistorySearch, alertsSearch } from './alerts.search.ts'

export const alerts = defineResource({
  title: 'resources:alerts.title',
  icon: IconBell,
  permission: 'alerts.read',
  keywords: 'resources:alerts.words',
  pages: [
    {
      path: '/alerts/{-$id}',
      search: alertsSearch,
      component: lazyRouteComponent(() => import('./list/AlertsPage.tsx'), 'AlertsPage'),
    },
    {
      path: '/alert-history/{-$id}',
      search: alertHistorySearch,
      component: lazyRouteComponent(() => import('./history/AlertHistoryPage.tsx'), 'AlertHistoryPage'),
    },
  ],
  navigation: { group: 'observe', jump: 'b' },
  items: {
    kind: 'alert',
    path: '/alerts/{-$id}',
    find: {
      by: 'text',
      run: async (q, signal) => {
        const { data } = await client.alerts.list({ query: { q, limit: searchResultLimit } }, { signal })
        return data.map(({ id, name }) => ({ id, label: name }))
      },
    },
    create: { label: 'resources:alerts.create', icon: IconBell, permission: 'alerts.write' },
  },
})
