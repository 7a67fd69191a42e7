import { IconHistory } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { t } from '../../lib/i18n.ts'
import { defineResource } from '../../lib/page/resource.ts'
import { client } from '../../lib/service/api.ts'
import { auditSearch } from './audit.search.ts'

export const audit = defineResource({
  title: 'resources:audit.title',
  icon: IconHistory,
  permission: 'audit.read',
  pages: [
    {
      path: '/audit/{-$id}',
      search: auditSearch,
      component: lazyRouteComponent(() => import('./AuditPage.tsx'), 'AuditPage'),
    },
  ],
  navigation: { group: 'observe', jump: 'a' },
  items: {
    kind: 'audit',
    path: '/audit/{-$id}',
    find: {
      by: 'number',
      run: async (id, signal) => {
        const { data } = await client.audit.get({ params: { id } }, { signal })
        return [
          { id, label: t('resources:audit.one', { id }), description: `${data.actor} · ${data.summary}` },
        ]
      },
    },
  },
})
