import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import type { ApiToken } from '../../../contract/tokens.ts'
import type { User } from '../../../contract/users.ts'
import { client } from '../../lib/api.ts'

export const settingsQuery = queryOptions({
  queryKey: ['setting', 'all'],
  queryFn: async ({ signal }) => (await client.settings.get({}, { signal })).data,
})

/** Few are kept, so one page holds them all. */
export const backupsQuery = queryOptions({
  queryKey: ['backup', 'list'],
  queryFn: async ({ signal }) => (await client.backups.list({ query: { limit: 200 } }, { signal })).data,
})

/** As many as one page holds; a team with more searches the audit log for the rest. */
export const tokensQuery = queryOptions({
  queryKey: ['token', 'list'],
  queryFn: ({ signal }) => client.tokens.list({ query: { limit: 200, sort: 'name' } }, { signal }),
})

/** To name the workspace a token is limited to, and to choose one. */
export const workspaceChoices = queryOptions({
  queryKey: ['workspace', 'choices'],
  queryFn: async ({ signal }) =>
    (await client.workspaces.list({ query: { limit: 200, sort: 'name' } }, { signal })).data,
})

/** Fetches the users that can own a token: those whose names begin like this. */
export const ownerChoices = (search: string) =>
  queryOptions({
    queryKey: ['user', 'owners', search],
    queryFn: async ({ signal }) => {
      const query = { limit: 200, sort: 'username', disabled: 'false', ...(search !== '' && { q: search }) }
      return (await client.users.list({ query }, { signal })).data
    },
    placeholderData: keepPreviousData,
  })

/** Fetches the user that most likely owns a token: its owner, else who created it; null if neither is an active user. */
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

/** A file that is built with the console. */
export const licencesQuery = queryOptions({
  queryKey: ['licences'],
  queryFn: async ({ signal }) =>
    Licences.parse(await (await fetch('/licences.json', { signal })).json()).data,
  staleTime: Number.POSITIVE_INFINITY,
})
