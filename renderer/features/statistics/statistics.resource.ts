import { IconReportAnalytics } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { statisticsSearch } from './statistics.search.ts'

export const statistics = defineResource({
  title: 'resources:statistics.title',
  icon: IconReportAnalytics,
  permission: 'runs.read',
  pages: [
    {
      path: '/statistics',
      search: statisticsSearch,
      component: lazyRouteComponent(() => import('./StatisticsPage.tsx'), 'StatisticsPage'),
    },
  ],
  navigation: { group: 'observe', jump: 't' },
})
