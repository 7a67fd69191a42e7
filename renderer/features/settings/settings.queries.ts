import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import { client } from '../../lib/service/api.ts'
import { basePath } from '../../lib/service/base-path.ts'

/** Fetches one page, which contains all backups, because only a few are stored. */
export const backupsQuery = queryOptions({
  queryKey: ['backup', 'list'],
  queryFn: async ({ signal }) => (await client.backups.list({ query: { limit: 200 } }, { signal })).data,
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
    Licences.parse(await (await fetch(`${basePath}/licences.json`, { signal })).json()).data,
  staleTime: Number.POSITIVE_INFINITY,
})
