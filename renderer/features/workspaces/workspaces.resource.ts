import { IconLayersSubtract } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { workspacesSearch } from './workspaces.search.ts'

export const workspaces = defineResource({
  title: 'resources:workspaces.title',
  icon: IconLayersSubtract,
  permission: 'workspaces.read',
  pages: [
    {
      path: '/workspaces/{-$id}',
      search: workspacesSearch,
      component: lazyRouteComponent(() => import('./WorkspacesPage.tsx'), 'WorkspacesPage'),
    },
  ],
  navigation: { group: 'build', jump: 'w' },
  items: {
    kind: 'workspace',
    path: '/workspaces/{-$id}',
    find: { by: 'search' },
    create: {
      label: 'resources:workspaces.create',
      icon: IconLayersSubtract,
      permission: 'workspaces.create',
    },
  },
})
