import { IconChartBar } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { overviewSearch } from './overview.search.ts'

export const overview = defineResource({
  title: 'resources:overview.title',
  icon: IconChartBar,
  pages: [
    {
      path: '/',
      search: overviewSearch,
      component: lazyRouteComponent(() => import('./OverviewPage.tsx'), 'OverviewPage'),
    },
  ],
  navigation: { group: 'observe', jump: 'o' },
})
