import { IconBookmark } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { tMaybe } from '../../lib/i18n.ts'
import { shellSearch } from '../../lib/page/address.ts'
import { defineResource, searchResultLimit } from '../../lib/page/resource.ts'
import { client } from '../../lib/service/api.ts'
import { viewsSearch } from './views.search.ts'

export const views = defineResource({
  title: 'resources:views.title',
  icon: IconBookmark,
  permission: 'views.save',
  pages: [
    {
      path: '/views',
      search: viewsSearch,
      component: lazyRouteComponent(() => import('./ViewsPage.tsx'), 'ViewsPage'),
    },
    {
      path: '/views/$id',
      search: shellSearch,
      component: lazyRouteComponent(() => import('./OpenView.tsx'), 'OpenView'),
    },
  ],
  items: {
    kind: 'view',
    path: '/views/$id',
    find: {
      by: 'text',
      run: async (q, signal) => {
        const { data } = await client.views.list({ query: { q, limit: searchResultLimit } }, { signal })
        return data.map(({ id, name, page, owner }) => ({
          id,
          label: name,
          description: `${tMaybe(`resources:${page}.title`, page)} · ${owner}`,
        }))
      },
    },
  },
})
