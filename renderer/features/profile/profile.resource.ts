import { IconUser } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { shellSearch } from '../../lib/page/address.ts'
import { defineResource } from '../../lib/page/resource.ts'

export const profile = defineResource({
  title: 'resources:profile.title',
  keywords: 'resources:profile.words',
  icon: IconUser,
  pages: [
    {
      path: '/profile',
      search: shellSearch,
      component: lazyRouteComponent(() => import('./ProfilePage.tsx'), 'ProfilePage'),
    },
  ],
})
