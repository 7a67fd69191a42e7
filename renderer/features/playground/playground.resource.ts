import { IconFlask } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { playgroundSearch } from './playground.search.ts'

export const playground = defineResource({
  title: 'resources:playground.title',
  icon: IconFlask,
  permission: 'resources.run',
  pages: [
    {
      path: '/playground',
      search: playgroundSearch,
      component: lazyRouteComponent(() => import('./PlaygroundPage.tsx'), 'PlaygroundPage'),
    },
  ],
  navigation: { group: 'build', jump: 'l' },
})
