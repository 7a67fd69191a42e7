import { IconRobot } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource, searchResultLimit } from '../../lib/page/resource.ts'
import { client } from '../../lib/service/api.ts'
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
    find: {
      by: 'text',
      run: async (q, signal) => {
        const query = { q, limit: searchResultLimit, fields: 'summary' } as const
        const { data } = await client.agents.list({ query }, { signal })
        return data.map(({ id, key, name, provider }) => ({
          id,
          label: key,
          description: `${name} · ${provider}`,
        }))
      },
    },
    create: { label: 'resources:agents.create', icon: IconRobot, permission: 'resources.write' },
  },
})
