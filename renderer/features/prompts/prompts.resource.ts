import { IconMessage2Code } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import { defineResource } from '../../lib/page/resource.ts'
import { compareParams } from './compare/compare.search.ts'
import { promptSearch, promptsSearch } from './list/prompts.search.ts'

export const prompts = defineResource({
  title: 'resources:prompts.title',
  icon: IconMessage2Code,
  permission: 'resources.read',
  pages: [
    {
      path: '/prompts',
      search: promptsSearch,
      component: lazyRouteComponent(() => import('./list/PromptsPage.tsx'), 'PromptsPage'),
    },
    {
      path: '/prompts/compare',
      search: compareParams,
      component: lazyRouteComponent(() => import('./compare/ComparePage.tsx'), 'ComparePage'),
    },
    {
      path: '/prompts/$id',
      search: promptSearch,
      component: lazyRouteComponent(() => import('./page/PromptPage.tsx'), 'PromptPage'),
    },
  ],
  navigation: { group: 'build', jump: 'p' },
  items: {
    kind: 'prompt',
    path: '/prompts/$id',
  },
})
