import { IconPlus, IconServerBolt } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { shellSearch } from '../../lib/page/address.ts'
import { defineResource } from '../../lib/page/resource.ts'

export const providers = defineResource({
  title: 'resources:providers.title',
  icon: IconServerBolt,
  permission: 'providers.manage',
  pages: [
    {
      path: '/providers',
      search: shellSearch,
      component: lazyRouteComponent(() => import('./ProvidersPage.tsx'), 'ProvidersPage'),
    },
  ],
  navigation: { group: 'admin', jump: 'm' },
  items: {
    kind: 'provider',
    path: '/providers',
    openLabel: 'resources:providers.open',
    create: { label: 'resources:providers.create', icon: IconPlus, permission: 'providers.manage' },
  },
})
