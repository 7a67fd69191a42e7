import { IconTimeline } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { traceSearch } from './traces.search.ts'

/** The traces of the run log. Runs link to them, so they are not in the navigation. */
export const traces = defineResource({
  title: 'resources:traces.title',
  icon: IconTimeline,
  permission: 'runs.read',
  pages: [
    {
      path: '/traces/$id',
      search: traceSearch,
      component: lazyRouteComponent(() => import('./TracePage.tsx'), 'TracePage'),
    },
  ],
})
