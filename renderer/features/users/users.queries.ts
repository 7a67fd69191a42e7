import { queryOptions } from '@tanstack/react-query'
import type { AuditResource } from '../../../contract/system/audit.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import type { UsersSearch } from './users.search.ts'

export const defaultSort = 'username'

export const usersQuery = (search: UsersSearch) =>
  queryOptions({
    queryKey: ['user', 'list', search],
    queryFn: ({ signal }) =>
      client.users.list({ query: { limit: pageSize, sort: defaultSort, ...search } }, { signal }),
    ...keepPreviousRows,
  })

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['user', 'one', id],
    queryFn: async ({ signal }) => (await client.users.get({ params: { id } }, { signal })).data,
  })

/** Fetches the sessions of a user. The key starts with `session`, because session events invalidate it. */
export const userSessionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', 'user', id],
    queryFn: async ({ signal }) => (await client.users.sessions({ params: { id } }, { signal })).data,
  })

/** Counts the active admins; the last one cannot be removed. */
export const activeAdminsQuery = queryOptions({
  queryKey: ['user', 'active-admins'],
  queryFn: async ({ signal }) =>
    (await client.users.list({ query: { role: 'admin', disabled: 'false', limit: 1 } }, { signal })).total,
})

/** Counts the API tokens that one of these users owns. `userIds` has at most one page of users. */
export const followingTokensQuery = (userIds: readonly string[]) =>
  queryOptions({
    queryKey: ['token', 'following', userIds],
    queryFn: async ({ signal }) =>
      (await client.tokens.list({ query: { owner: [...userIds], binding: 'owner', limit: 1 } }, { signal }))
        .total,
  })

export type AuditFilter =
  | { readonly actor: string[] }
  | { readonly resource: AuditResource[]; readonly resource_id: string[] }
const maxEntries = 5

/** Fetches the newest audit entries that match the filter. */
export const userAuditQuery = (filter: AuditFilter) =>
  queryOptions({
    queryKey: ['audit', 'user', filter],
    queryFn: async ({ signal }) =>
      (await client.audit.list({ query: { ...filter, limit: maxEntries } }, { signal })).data,
  })
