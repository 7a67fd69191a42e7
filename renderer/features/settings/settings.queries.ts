import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import type { User } from '../../../contract/accounts/users.ts'
import { client } from '../../lib/service/api.ts'

export const settingsQuery = queryOptions({
  queryKey: ['setting', 'all'],
  queryFn: async ({ signal }) => (await client.settings.get({}, { signal })).data,
})

/** Fetches one page, which contains all backups, because only few are stored. */
export const backupsQuery = queryOptions({
  queryKey: ['backup', 'list'],
  queryFn: async ({ signal }) => (await client.backups.list({ query: { limit: 200 } }, { signal })).data,
})

/** Fetches one page of tokens, at most 200. */
export const tokensQuery = queryOptions({
  queryKey: ['token', 'list'],
  queryFn: ({ signal }) => client.tokens.list({ query: { limit: 200, sort: 'name' } }, { signal }),
})

/** Fetches the workspaces, to choose one for a token or to display its name. */
export const workspaceChoices = queryOptions({
  queryKey: ['workspace', 'choices'],
  queryFn: async ({ signal }) =>
    (await client.workspaces.list({ query: { limit: 200, sort: 'name' } }, { signal })).data,
})

/** Fetches the active users whose names match the search, as possible owners of a token. */
export const ownerChoices = (search: string) =>
  queryOptions({
    queryKey: ['user', 'owners', search],
    queryFn: async ({ signal }) => {
      const query = { limit: 200, sort: 'username', disabled: 'false', ...(search !== '' && { q: search }) }
      return (await client.users.list({ query }, { signal })).data
    },
    placeholderData: keepPreviousData,
  })

/** Fetches the likely owner of a token: its owner, else its creator; null if neither is an active user. */
export const likelyOwner = ({ id, owner, created_by: creator }: ApiToken) =>
  queryOptions({
    queryKey: ['user', 'token-owner', id],
    queryFn: async ({ signal }) => {
      const q = owner === null ? creator : owner.name
      if (q === null) return null
      const users = await client.users.list({ query: { q, disabled: 'false', limit: 200 } }, { signal })
      const isLikely = (user: User) => (owner === null ? user.username === creator : user.id === owner.id)
      return users.data.find(isLikely) ?? null
    },
  })

const Licences = z.object({
  data: z.array(
    z.object({ name: z.string(), version: z.string(), license: z.string(), text: z.string().nullable() }),
  ),
})
export type Licence = z.infer<typeof Licences>['data'][number]

/** Fetches the list of licences, a static file built with the console. */
export const licencesQuery = queryOptions({
  queryKey: ['licences'],
  queryFn: async ({ signal }) =>
    Licences.parse(await (await fetch('/licences.json', { signal })).json()).data,
  staleTime: Number.POSITIVE_INFINITY,
})
