import { IconSettings } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { shellSearch } from '../../lib/page/address.ts'
import { defineResource } from '../../lib/page/resource.ts'

export const settings = defineResource({
  title: 'resources:settings.title',
  icon: IconSettings,
  permission: 'settings.manage',
  pages: [
    {
      path: '/settings',
      search: shellSearch,
      component: lazyRouteComponent(() => import('./SettingsPage.tsx'), 'SettingsPage'),
    },
  ],
  navigation: { group: 'admin', jump: 's' },
})
