import { IconRobot } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { agentSearch, agentsSearch } from './list/agents.search.ts'

export const agents = defineResource({
  title: 'resources:agents.title',
  icon: IconRobot,
  permission: 'resources.read',
  pages: [
    {
      path: '/agents',
      search: agentsSearch,
      component: lazyRouteComponent(() => import('./list/AgentsPage.tsx'), 'AgentsPage'),
    },
    {
      path: '/agents/$id',
      search: agentSearch,
      component: lazyRouteComponent(() => import('./page/AgentPage.tsx'), 'AgentPage'),
    },
  ],
  navigation: { group: 'build', jump: 'e' },
  items: {
    kind: 'agent',
    path: '/agents/$id',
    find: { by: 'search' },
    create: { label: 'resources:agents.create', icon: IconRobot, permission: 'resources.write' },
  },
})
