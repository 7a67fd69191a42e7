import { IconKey, IconPlus } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { shellSearch } from '../../lib/page/address.ts'
import { defineResource } from '../../lib/page/resource.ts'

export const tokens = defineResource({
  title: 'resources:tokens.title',
  icon: IconKey,
  permission: 'tokens.manage',
  pages: [
    {
      path: '/tokens',
      search: shellSearch,
      component: lazyRouteComponent(() => import('./TokensPage.tsx'), 'TokensPage'),
    },
  ],
  navigation: { group: 'admin', jump: 'k' },
  items: {
    kind: 'token',
    path: '/tokens',
    openLabel: 'resources:tokens.open',
    find: { by: 'search' },
    create: { label: 'resources:tokens.create', icon: IconPlus, permission: 'tokens.manage' },
  },
})
