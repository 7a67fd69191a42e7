import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SearchResult } from '../../lib/page/resource.ts'
import { asApiError } from '../../lib/service/api.ts'
import { useMe } from '../../lib/session/me.ts'
import { mayOpen } from '../resources.ts'
import { type Item, type SearchedResource, searchedResources } from './items.ts'

/** Pause in typing after which a search starts, in milliseconds. */
const pauseMs = 150
const staleMs = 10_000

/** Returns no result for a 404: an id that does not exist is not a failed search. */
async function emptyIfNotFound(work: Promise<readonly SearchResult[]>): Promise<readonly SearchResult[]> {
  try {
    return await work
  } catch (error) {
    if (asApiError(error)?.status === 404) return []
    throw error
  }
}

/** Returns a function that creates an item from its id (`user:<id>`), also for recently used results. */
export function useItemFactory() {
  const navigate = useNavigate()
  return (itemId: string, label: string): Item | null => {
    const [kind = '', id = ''] = itemId.split(/:(.*)/s)
    const resource = searchedResources.find((candidate) => candidate.items.kind === kind)
    if (resource === undefined) return null
    const { icon: Icon, items } = resource
    return {
      id: itemId,
      group: items.kind,
      label,
      icon: <Icon size={16} stroke={1.75} />,
      run: () =>
        void navigate({ to: items.path, params: { id }, search: ({ workspace }) => ({ workspace }) }),
    }
  }
}

/**
 * Returns what the service finds for the text: only for the current text, and all results at once, so that no
 * item moves.
 */
export function usePaletteSearch(typed: string) {
  const text = typed.trim()
  const [debounced] = useDebouncedValue(text, pauseMs)
  const me = useMe()
  const open = useItemFactory()
  const number = /^#?(\d{1,15})$/.exec(debounced)?.[1] ?? ''
  const queryOf = ({ items }: SearchedResource) => (items.find.by === 'number' ? number : debounced)
  const searched = searchedResources.filter((resource) => mayOpen(me, resource) && queryOf(resource) !== '')
  const queries = useQueries({
    queries: searched.map((resource) => {
      const q = queryOf(resource)
      const { kind, find } = resource.items
      return {
        queryKey: ['palette', kind, q],
        queryFn: ({ signal }: { signal: AbortSignal }) => emptyIfNotFound(find.run(q, signal)),
        staleTime: staleMs,
        retry: false,
      }
    }),
  })
  const isCurrent = debounced === text
  const isSearching = text !== '' && (!isCurrent || queries.some((query) => query.isPending))
  if (!isCurrent || isSearching) return { items: [], failures: [], isSearching }
  return {
    items: queries.flatMap((query, index) =>
      (query.data ?? []).flatMap(({ id, label, description }): Item[] => {
        const item = open(`${searched[index]?.items.kind}:${id}`, label)
        return item === null ? [] : [{ ...item, ...(description === undefined ? {} : { description }) }]
      }),
    ),
    failures: queries.flatMap((query, index) => {
      const resource = searched[index]
      return query.error === null || resource === undefined ? [] : [{ resource, error: query.error }]
    }),
    isSearching,
  }
}
