import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { type NavigateOptions, useNavigate } from '@tanstack/react-router'
import type { SearchResult as FoundByName } from '../../../contract/system/search.ts'
import type { ActionTarget, Find, SearchResult } from '../../lib/page/resource.ts'
import { asApiError, client } from '../../lib/service/api.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { useDisabledReason, useMe } from '../../lib/session/me.ts'
import { mayOpen } from '../resources.ts'
import { actionItems, type Request, requestedActions, resourceOf } from './found.tsx'
import { findsOf, type Item, type SearchedResource, searchedResources } from './items.ts'

/** Pause in typing after which the slower searches of single kinds start, in milliseconds. */
const debounceMs = 150
const staleMs = 10_000
/** Results of each kind that the search by name returns. */
const limit = 5

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
    const resource = resourceOf(kind)
    if (resource === undefined) return null
    const { icon: Icon, items } = resource
    return {
      id: itemId,
      group: items.kind,
      label,
      icon: <Icon size={16} stroke={1.75} />,
      run: () =>
        void navigate({
          to: items.path,
          params: { id },
          search: ({ workspace }) => ({ workspace }),
        }),
    }
  }
}

type Single = { readonly resource: SearchedResource; readonly find: Extract<Find, { run: unknown }> }

const singleFinds: readonly Single[] = searchedResources.flatMap((resource) =>
  findsOf(resource).flatMap((find) => (find.by === 'search' ? [] : [{ resource, find }])),
)

const byName = (q: string) =>
  queryOptions({
    queryKey: ['palette', 'search', q],
    queryFn: async ({ signal }) => (await client.search.find({ query: { q, limit } }, { signal })).data,
    staleTime: staleMs,
    retry: false,
    enabled: q !== '',
  })

const single = ({ resource, find }: Single, q: string) =>
  queryOptions({
    queryKey: ['palette', resource.items.kind, find.by, q],
    queryFn: ({ signal }) => emptyIfNotFound(find.run(q, signal)),
    staleTime: staleMs,
    retry: false,
    enabled: q !== '',
  })

const numberOf = (text: string): string => /^#?(\d{1,15})$/.exec(text)?.[1] ?? ''

/** A search that failed; `resource` is absent for the search by name. */
type Failure = { readonly resource?: SearchedResource; readonly error: unknown }

/** Returns the results of searches in single kinds: by number immediately, by text after a pause. */
function useSingleFinds(text: string, by: 'number' | 'text') {
  const me = useMe()
  const open = useItemFactory()
  const [debounced] = useDebouncedValue(text, debounceMs)
  const q = by === 'number' ? numberOf(text) : debounced
  const finds = singleFinds.filter(({ resource, find }) => find.by === by && mayOpen(me, resource))
  const queries = useQueries({ queries: finds.map((find) => single(find, q)) })
  const isCurrent = by === 'number' || debounced === text
  const items = queries.flatMap((query, index) =>
    (query.data ?? []).flatMap(({ id, label, description }): Item[] => {
      const item = open(`${finds[index]?.resource.items.kind}:${id}`, label)
      // An exact number comes before every name.
      const score = by === 'number' ? 1 : 0
      return item === null ? [] : [{ ...item, score, ...(description === undefined ? {} : { description }) }]
    }),
  )
  const failures = queries.flatMap((query, index): Failure[] => {
    const resource = finds[index]?.resource
    return query.error === null || resource === undefined ? [] : [{ resource, error: query.error }]
  })
  const isSearching = text !== '' && (!isCurrent || queries.some((query) => query.isLoading))
  return isCurrent && q !== '' ? { items, failures, isSearching } : { items: [], failures: [], isSearching }
}

/** Returns a function that returns the name of the workspace of a result; null if there is only one. */
function useWorkspaceOfResult(): (result: FoundByName) => string | null {
  const workspaces = useQuery(workspaceChoicesQuery).data ?? []
  if (workspaces.length <= 1) return () => null
  return ({ workspace_id: id }) => workspaces.find((workspace) => workspace.id === id)?.name ?? null
}

/** Returns the items of the search by name, and the actions on them. */
function useNamedItems(): (results: readonly FoundByName[], request: Request | null) => readonly Item[] {
  const navigate = useNavigate()
  const factory = useItemFactory()
  const disabledReasonOf = useDisabledReason()
  const workspaceOf = useWorkspaceOfResult()
  // The pages of the manifests are checked by the router's types where they are defined, not here.
  const open = (target: ActionTarget): void => void navigate(target as NavigateOptions)
  return (results, request) =>
    results.flatMap((result) => {
      const item = factory(`${result.kind}:${result.id}`, result.label)
      const { score, detail } = result
      const workspace = workspaceOf(result)
      const description = [detail, workspace].filter(Boolean).join(' · ')
      const items = item === null || request !== null ? [] : [{ ...item, score, description }]
      return [...items, ...actionItems(result, request, { open, workspace, disabledReasonOf })]
    })
}

/**
 * Returns the results of the service for the current text. Names and numbers are searched on every keystroke;
 * the other results follow after a pause, below them, so that no item moves.
 */
export function usePaletteSearch(typed: string) {
  const text = typed.trim()
  const request = requestedActions(text)
  const [named, requested] = useQueries({ queries: [byName(text), byName(request?.rest ?? '')] })
  const itemsOf = useNamedItems()
  const numbers = useSingleFinds(text, 'number')
  const texts = useSingleFinds(text, 'text')
  const isSearching = text !== '' && (named.isLoading || requested.isLoading || numbers.isSearching)
  const names = isSearching
    ? []
    : [
        ...itemsOf(named.data ?? [], null),
        ...(request === null ? [] : itemsOf(requested.data ?? [], request)),
      ]
  const first = isSearching ? [] : [...numbers.items, ...names]
  const known = new Set(first.map(({ id }) => id))
  return {
    items: first,
    lateItems: isSearching ? [] : texts.items.filter(({ id }) => !known.has(id)),
    failures: isSearching
      ? []
      : [
          ...(named.error === null ? [] : [{ error: named.error } satisfies Failure]),
          ...numbers.failures,
          ...texts.failures,
        ],
    /** True until the first results of the current text are available. */
    isSearching,
    isSearchingMore: isSearching || texts.isSearching,
  }
}
