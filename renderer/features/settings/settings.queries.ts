import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
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
