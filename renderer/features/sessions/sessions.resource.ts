import { IconMessages } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { sessionSearch, sessionsSearch } from './sessions.search.ts'

/** The sessions of the run log. Runs link to them, so they are not in the navigation. */
export const sessions = defineResource({
  title: 'resources:sessions.title',
  icon: IconMessages,
  permission: 'runs.read',
  keywords: 'resources:sessions.words',
  pages: [
    {
      path: '/sessions',
      search: sessionsSearch,
      component: lazyRouteComponent(() => import('./SessionsPage.tsx'), 'SessionsPage'),
    },
    {
      path: '/sessions/$id',
      search: sessionSearch,
      component: lazyRouteComponent(() => import('./SessionPage.tsx'), 'SessionPage'),
    },
  ],
})
