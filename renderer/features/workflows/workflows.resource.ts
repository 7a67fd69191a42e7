import { IconSitemap } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { shellSearch } from '../../lib/page/address.ts'
import { defineResource } from '../../lib/page/resource.ts'
import { workflowSearch, workflowsSearch } from './list/workflows.search.ts'

export const workflows = defineResource({
  title: 'resources:workflows.title',
  icon: IconSitemap,
  permission: 'resources.read',
  pages: [
    {
      path: '/workflows',
      search: workflowsSearch,
      component: lazyRouteComponent(() => import('./list/WorkflowsPage.tsx'), 'WorkflowsPage'),
    },
    {
      path: '/workflows/$id',
      search: workflowSearch,
      component: lazyRouteComponent(() => import('./page/WorkflowPage.tsx'), 'WorkflowPage'),
    },
    {
      path: '/workflow-runs/$id',
      search: shellSearch,
      component: lazyRouteComponent(() => import('./execution/ExecutionPage.tsx'), 'ExecutionPage'),
    },
  ],
  navigation: { group: 'build', jump: 'f' },
  items: {
    kind: 'workflow',
    path: '/workflows/$id',
    find: { by: 'search' },
    create: { label: 'resources:workflows.create', icon: IconSitemap, permission: 'resources.write' },
  },
})
