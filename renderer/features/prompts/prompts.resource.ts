import {
  IconArrowBackUp,
  IconArrowsDiff,
  IconFlask,
  IconMessage2Code,
  IconMessage2Plus,
  IconRocket,
} from '@tabler/icons-react'
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
    find: { by: 'search' },
    create: { label: 'resources:prompts.create', icon: IconMessage2Plus, permission: 'resources.write' },
    actions: [
      {
        name: 'publish',
        verb: 'resources:prompts.verb.publish',
        label: 'resources:prompts.publish',
        icon: IconRocket,
        permission: 'resources.write',
        targets: ({ envs = [] }) =>
          envs
            .filter(({ has_draft: hasDraft }) => hasDraft)
            .map(({ id, env }) => ({ env, to: '/prompts/$id', params: { id }, search: { open: 'publish' } })),
      },
      {
        name: 'compare',
        verb: 'resources:prompts.verb.compare',
        label: 'resources:prompts.compare',
        icon: IconArrowsDiff,
        targets: ({ label: key, workspace_id: workspace, envs = [] }) =>
          envs.length < 2 || workspace === null
            ? []
            : [{ to: '/prompts/compare', search: { key, workspace } }],
      },
      {
        name: 'rollback',
        verb: 'resources:prompts.verb.rollback',
        label: 'resources:prompts.rollback',
        icon: IconArrowBackUp,
        permission: 'resources.write',
        targets: ({ envs = [] }) =>
          envs.map(({ id, env }) => ({
            env,
            to: '/prompts/$id',
            params: { id },
            search: { tab: 'versions', open: 'rollback' },
          })),
      },
      {
        name: 'try',
        verb: 'resources:prompts.verb.try',
        label: 'resources:prompts.try',
        icon: IconFlask,
        permission: 'resources.run',
        targets: ({ id }) => [{ to: '/playground', search: { prompt: id } }],
      },
    ],
  },
})
