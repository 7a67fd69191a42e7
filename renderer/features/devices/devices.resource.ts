import { IconDevices, IconPlus } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { devicesSearch } from './devices.search.ts'

export const devices = defineResource({
  title: 'resources:devices.title',
  icon: IconDevices,
  pages: [
    {
      path: '/devices',
      search: devicesSearch,
      component: lazyRouteComponent(() => import('./DevicesPage.tsx'), 'DevicesPage'),
    },
  ],
  // Others reach the list of their own devices from their profile.
  navigation: { group: 'admin', jump: 'd', permission: 'devices.manage' },
  keywords: 'resources:devices.words',
  items: {
    kind: 'device',
    path: '/devices',
    openLabel: 'resources:devices.open',
    create: { label: 'resources:devices.create', icon: IconPlus, permission: 'devices.manage' },
  },
})
