import { useDebouncedValue } from '@mantine/hooks'
import {
  IconActivity,
  IconHistory,
  IconLayersSubtract,
  IconPlugConnected,
  IconRobot,
  IconSitemap,
  IconUsers,
} from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../lib/i18n.ts'
import { asApiError, client } from '../../lib/service/api.ts'
import { useMe } from '../../lib/session/me.ts'
import type { Group, Item } from './items.ts'

/** Pause in typing after which a search starts, in milliseconds. */
const pauseMs = 150
const most = 5
const staleMs = 10_000

type SearchResult = { readonly id: string; readonly label: string; readonly description?: string }
type Kind = Extract<Group, 'user' | 'workspace' | 'agent' | 'workflow' | 'client' | 'run' | 'audit'>

/** Returns no result for a 404: an id that does not exist is not a failed search. */
async function emptyIfNotFound(work: () => Promise<SearchResult>): Promise<SearchResult[]> {
  try {
    return [await work()]
  } catch (error) {
    if (asApiError(error)?.status === 404) return []
    throw error
  }
}

const searches: Readonly<Record<Kind, (text: string, signal: AbortSignal) => Promise<SearchResult[]>>> = {
  user: async (q, signal) =>
    (await client.users.list({ query: { q, limit: most } }, { signal })).data.map(
      ({ id, username, role }) => ({
        id,
        label: username,
        description: t(`common:role.${role}`),
      }),
    ),
  workspace: async (q, signal) =>
    (await client.workspaces.list({ query: { q, limit: most } }, { signal })).data.map(
      ({ id, name, slug }) => ({
        id,
        label: name,
        description: slug,
      }),
    ),
  agent: async (q, signal) =>
    (await client.agents.list({ query: { q, limit: most, fields: 'summary' } }, { signal })).data.map(
      ({ id, key, name, provider }) => ({ id, label: key, description: `${name} · ${provider}` }),
    ),
  workflow: async (q, signal) =>
    (await client.workflows.list({ query: { q, limit: most, fields: 'summary' } }, { signal })).data.map(
      ({ id, key, name }) => ({ id, label: key, description: name }),
    ),
  client: async (q, signal) =>
    (await client.clients.list({ query: { q, limit: most } }, { signal })).data.map(
      ({ id, app, namespace, remote_addr }) => ({
        id,
        label: app,
        description: `${namespace} · ${remote_addr}`,
      }),
    ),
  run: (id, signal) =>
    emptyIfNotFound(async () => {
      const { data } = await client.runs.get({ params: { id } }, { signal })
      return { id, label: t('palette:run', { id }), description: `${data.model} · ${data.status}` }
    }),
  audit: (id, signal) =>
    emptyIfNotFound(async () => {
      const { data } = await client.audit.get({ params: { id } }, { signal })
      return { id, label: t('palette:audit', { id }), description: `${data.actor} · ${data.summary}` }
    }),
}

const icons = {
  user: IconUsers,
  workspace: IconLayersSubtract,
  agent: IconRobot,
  workflow: IconSitemap,
  client: IconPlugConnected,
  run: IconActivity,
  audit: IconHistory,
} as const

const routes = {
  user: '/users/{-$id}',
  workspace: '/workspaces/{-$id}',
  agent: '/agents/$id',
  workflow: '/workflows/$id',
  client: '/clients/{-$id}',
  run: '/runs/{-$id}',
  audit: '/audit/{-$id}',
} as const

const isKind = (kind: string): kind is Kind => kind in routes

/** Returns a function that creates an item from its id (`user:<id>`), also for recently used results. */
export function useItemFactory() {
  const navigate = useNavigate()
  return (itemId: string, label: string): Item | null => {
    const [kind = '', id = ''] = itemId.split(/:(.*)/s)
    if (!isKind(kind)) return null
    const Icon = icons[kind]
    return {
      id: itemId,
      group: kind,
      label,
      icon: <Icon size={16} stroke={1.75} />,
      run: () =>
        void navigate({ to: routes[kind], params: { id }, search: ({ workspace }) => ({ workspace }) }),
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
  const digits = /^#?(\d{1,15})$/.exec(debounced)?.[1]
  const kinds: readonly Kind[] =
    debounced === ''
      ? []
      : [
          ...(digits === undefined ? [] : (['run', 'audit'] as const)),
          ...(me.permissions.includes('users.manage') ? (['user'] as const) : []),
          'workspace',
          ...(me.permissions.includes('resources.read') ? (['agent', 'workflow'] as const) : []),
          'client',
        ]
  const queries = useQueries({
    queries: kinds.map((kind) => {
      const q = kind === 'run' || kind === 'audit' ? (digits ?? '') : debounced
      return {
        queryKey: ['palette', kind, q],
        queryFn: ({ signal }: { signal: AbortSignal }) => searches[kind](q, signal),
        staleTime: staleMs,
        retry: false,
      }
    }),
  })
  const isCurrent = debounced === text
  const isSearching = text !== '' && (!isCurrent || queries.some((query) => query.isPending))
  if (!isCurrent || isSearching) return { items: [], failures: [], isSearching }
  return {
    items: queries.flatMap((query, at) =>
      (query.data ?? []).flatMap(({ id, label, description }): Item[] => {
        const item = open(`${kinds[at]}:${id}`, label)
        return item === null ? [] : [{ ...item, ...(description === undefined ? {} : { description }) }]
      }),
    ),
    failures: queries.flatMap((query, at) => {
      const kind = kinds[at]
      return query.error === null || kind === undefined ? [] : [{ kind, error: query.error }]
    }),
    isSearching,
  }
}
