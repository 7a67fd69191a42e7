import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import type { User } from '../../../contract/accounts/users.ts'
import { client } from '../../lib/service/api.ts'

/** Fetches the longest lifetime of a new token that the settings allow, in days. */
export const maxDaysQuery = queryOptions({
  queryKey: ['setting', 'token days'],
  queryFn: async ({ signal }) => (await client.settings.get({}, { signal })).data.api_token_max_days,
})

/** Fetches one page of tokens, at most 200. */
export const tokensQuery = queryOptions({
  queryKey: ['token', 'list'],
  queryFn: ({ signal }) => client.tokens.list({ query: { limit: 200, sort: 'name' } }, { signal }),
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
