import { IconActivity } from '@tabler/icons-react'
import { lazyRouteComponent } from '@tanstack/react-router'
import type { Excerpt } from '../../../contract/runs/run-content.ts'
import { t } from '../../lib/i18n.ts'
import { defineResource, type SearchResult, searchResultLimit } from '../../lib/page/resource.ts'
import { client } from '../../lib/service/api.ts'
import { compareSearch } from './compare/compare.search.ts'
import { runsSearch } from './runs.search.ts'

/** Number of characters to show before the match. */
const leadLength = 24

/** Returns the part of a captured text from shortly before its first match. */
function matchOf({ text, marks }: Excerpt): string {
  const first = marks[0]?.[0] ?? 0
  return first > leadLength ? `…${text.slice(text.lastIndexOf(' ', first - leadLength) + 1)}` : text
}

/** Finds runs by captured input or output, and by key, model, error and other names. */
async function findByText(q: string, signal: AbortSignal): Promise<SearchResult[]> {
  const [byContent, byName] = await Promise.all([
    client.runs.list({ query: { content: q, limit: searchResultLimit } }, { signal }),
    client.runs.list({ query: { q, limit: searchResultLimit } }, { signal }),
  ])
  const found = new Map([...byName.data, ...byContent.data].map((run) => [run.id, run]))
  return [...found.values()]
    .sort((a, b) => Number(b.excerpt !== undefined) - Number(a.excerpt !== undefined))
    .slice(0, searchResultLimit)
    .map(({ id, ref_key: key, model, status, excerpt }) => ({
      id: String(id),
      label: t('resources:runs.one', { id }),
      description: excerpt
        ? matchOf(excerpt)
        : [key, model, status].filter((text) => text !== null).join(' · '),
    }))
}

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
  navigation: { group: 'observe', jump: 'r', includes: ['/sessions', '/traces'] },
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
      { by: 'text', run: findByText },
    ],
  },
})
