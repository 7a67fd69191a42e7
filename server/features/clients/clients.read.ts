import type { z } from 'zod'
import type { ListClientsQuery } from '../../../contract/live/clients.ts'
import type { Query } from '../../db/types.ts'
import { type CursorValue, orders, planPage, textKey, toPage } from '../../lib/paging.ts'
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

/** Returns the slugs under which clients may be listed, for slugs (current or earlier) or ids. */
export async function workspaceNames(q: Query, slugsOrIds: readonly string[]): Promise<readonly string[]> {
  const rows = await q
    .selectFrom('workspaces')
    .select('slug')
    .where('id', 'in', workspaceIdsOf(q, slugsOrIds))
    .execute()
  return [...slugsOrIds, ...rows.map((row) => row.slug)]
}

/** Returns one page of the clients in memory, with the filters and cursors of the other lists. */
export function listClients(
  all: readonly ConnectedClient[],
  query: ListQuery,
  workspaces: readonly string[] | undefined,
) {
  const sort = query.sort ?? '-connected_at'
  const plan = planPage(query, order(sort))
  const words = query.q === undefined ? null : wordsOf(query.q)
  const matching = all.filter((client) => {
    const { client_type, app, namespace } = query
    if (client_type !== undefined && !client_type.includes(client.client_type)) return false
    if (app !== undefined && !app.includes(client.app)) return false
    if (namespace !== undefined && !namespace.includes(client.namespace)) return false
    if (workspaces !== undefined && !workspaces.includes(client.workspace)) return false
    if (words === null) return true
    const clientWords = wordsOfClient(client)
    return words.length > 0 && words.every((word) => clientWords.some((other) => other.startsWith(word)))
  })
  const keyOf = (client: ConnectedClient): readonly CursorValue[] =>
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
