import { IconActivity } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { t } from '../../lib/i18n.ts'
import { defineResource, searchResultLimit } from '../../lib/page/resource.ts'
import { client } from '../../lib/service/api.ts'
import { compareSearch } from './compare/compare.search.ts'
import { runsSearch } from './runs.search.ts'

export const runs = defineResource({
  title: 'resources:runs.title',
  icon: IconActivity,
  permission: 'runs.read',
  pages: [
    {
      path: '/runs/{-$id}',
      search: runsSearch,
      component: lazyRouteComponent(() => import('./RunsPage.tsx'), 'RunsPage'),
    },
    {
      path: '/runs/compare',
      search: compareSearch,
      component: lazyRouteComponent(() => import('./compare/ComparePage.tsx'), 'ComparePage'),
    },
  ],
  navigation: { group: 'observe', jump: 'r' },
  items: {
    kind: 'run',
    path: '/runs/{-$id}',
    find: [
      {
        by: 'number',
        run: async (id, signal) => {
          const { data } = await client.runs.get({ params: { id } }, { signal })
          return [
            { id, label: t('resources:runs.one', { id }), description: `${data.model} · ${data.status}` },
          ]
        },
      },
      {
        by: 'text',
        run: async (q, signal) => {
          const { data } = await client.runs.list({ query: { q, limit: searchResultLimit } }, { signal })
          return data.map(({ id, ref_key: key, model, status }) => ({
            id: String(id),
            label: t('resources:runs.one', { id }),
            description: [key, model, status].filter((text) => text !== null).join(' · '),
          }))
        },
      },
    ],
  },
})
