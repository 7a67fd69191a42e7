import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

export const ownSessionsQuery = queryOptions({
  queryKey: ['session', 'own'],
  queryFn: async ({ signal }) => (await client.auth.sessions({}, { signal })).data,
})

/** The keys start with `user`, because changes of the own account are announced as that. */
export const secondFactorQuery = queryOptions({
  queryKey: ['user', 'own-second-factor'],
  queryFn: async ({ signal }) => (await client.secondFactor.get({}, { signal })).data,
})

export const passkeysQuery = queryOptions({
  queryKey: ['user', 'own-passkeys'],
  queryFn: async ({ signal }) => (await client.passkeys.list({}, { signal })).data,
})
