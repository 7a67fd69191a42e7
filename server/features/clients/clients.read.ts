import type { z } from 'zod'
import type { ClientSummaryQuery, ListClientsQuery } from '../../../contract/live/clients.ts'
import { everyNamespace } from '../../../contract/live/frames.ts'
import { inScope } from '../../db/dialect/in-scope.ts'
import type { Query } from '../../db/types.ts'
import { type Actor, type Context, principalOf, type Scope } from '../../lib/context.ts'
import { type CursorValue, orders, planPage, textKey, toPage } from '../../lib/paging.ts'
import { isVisible } from '../../lib/scope.ts'
import { wordsOf } from '../../lib/text/words.ts'
import type { ConnectedClient } from '../../resources/connected-client.ts'
import { workspaceIdsOf } from '../../resources/workspaces.read.ts'

type ListQuery = z.output<typeof ListClientsQuery>

const order = orders({
  connected_at: [textKey('connected_at'), textKey('id')],
  app: [textKey('app'), textKey('id')],
})

const wordsOfClient = (client: ConnectedClient): string[] =>
  wordsOf(
    [
      client.app,
      client.client_type,
      client.namespace,
      client.workspace,
      client.username,
      client.remote_addr,
      client.instance_id ?? '',
      client.sdk_version ?? '',
    ].join(' '),
  )

/** Returns the slugs under which clients may be listed, for slugs (current or earlier) or ids of visible workspaces. */
export async function workspaceNames(
  q: Query,
  scope: Scope,
  slugsOrIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await q
    .selectFrom('workspaces')
    .select('slug')
    .where('id', 'in', workspaceIdsOf(q, slugsOrIds))
    .where(inScope(scope, 'id'))
    .execute()
  return [...slugsOrIds, ...rows.map((row) => row.slug)]
}

/** Returns the clients that exist for the caller: those of its workspaces, and its own. */
export const visibleClients = (
  { actor, scope }: Context,
  all: readonly ConnectedClient[],
): readonly ConnectedClient[] =>
  all.filter(({ workspaceId, account }) => isVisible(scope, workspaceId) || isOwn(actor, account))

const isOwn = (actor: Actor, account: string): boolean => account === principalOf(actor)

type Filters = z.output<typeof ClientSummaryQuery> & Partial<Pick<ListQuery, 'kind'>>

/** Returns true for a session of the console. */
export const isConsole = ({ namespace }: Pick<ConnectedClient, 'namespace'>): boolean =>
  namespace === everyNamespace

/** Returns the clients that match the filters. `workspaces`: the names under which clients may be listed. */
export function matchingClients(
  all: readonly ConnectedClient[],
  { client_type, app, namespace, kind, q }: Filters,
  workspaces: readonly string[] | undefined,
): readonly ConnectedClient[] {
  const words = q === undefined ? null : wordsOf(q)
  const has = (values: readonly string[] | undefined, value: string): boolean =>
    values === undefined || values.includes(value)
  const isOfKind = (client: ConnectedClient): boolean =>
    kind === undefined || isConsole(client) === (kind === 'console')
  return all.filter(
    (client) =>
      has(client_type, client.client_type) &&
      has(app, client.app) &&
      has(namespace, client.namespace) &&
      has(workspaces, client.workspace) &&
      isOfKind(client) &&
      (words === null || hasWords(client, words)),
  )
}

function hasWords(client: ConnectedClient, words: readonly string[]): boolean {
  const clientWords = wordsOfClient(client)
  return words.length > 0 && words.every((word) => clientWords.some((other) => other.startsWith(word)))
}

/** Returns one page of clients in memory, with the cursors of the other lists. */
export function pageOf<C extends Pick<ConnectedClient, 'id' | 'app' | 'connected_at'>>(
  matching: readonly C[],
  query: ListQuery,
) {
  const sort = query.sort ?? '-connected_at'
  const plan = planPage(query, order(sort))
  const keyOf = (client: C): readonly CursorValue[] =>
    sort.endsWith('app') ? [client.app, client.id] : [client.connected_at, client.id]
  const sign = plan.order.direction === 'asc' ? 1 : -1
  const compare = (a: readonly CursorValue[], b: readonly CursorValue[]) => sign * comparePairs(a, b)
  const { after } = plan
  const remaining = after === null ? matching : matching.filter((client) => compare(keyOf(client), after) > 0)
  const rows = remaining
    .toSorted((a, b) => compare(keyOf(a), keyOf(b)))
    .slice(plan.offset, plan.offset + plan.limit + 1)
  return toPage(plan, rows, { total: matching.length, isCapped: false }, keyOf, (client) => client)
}

function comparePairs(a: readonly CursorValue[], b: readonly CursorValue[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index]
    if (other === undefined || value === other) continue
    return value < other ? -1 : 1
  }
  return 0
}
