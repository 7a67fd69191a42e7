import { queryOptions } from '@tanstack/react-query'
import { maxPageSize } from '../../../contract/common/fields.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'

const maxSuggestions = 20

/** Fetches prompts that match the typed text. */
export const promptChoicesQuery = (q: string, workspace: string | undefined) =>
  queryOptions({
    queryKey: ['prompt', 'choices', q, workspace],
    queryFn: async ({ signal }) =>
      (
        await client.prompts.list(
          {
            query: {
              q: q === '' ? undefined : q,
              workspace,
              limit: maxSuggestions,
              sort: 'key',
              fields: 'summary',
            },
          },
          { signal },
        )
      ).data,
    ...keepPreviousRows,
  })

/** Fetches a version or the draft with what it includes. */
export const resolvedQuery = (id: string, version: string) =>
  queryOptions({
    queryKey: ['prompt', 'resolved', id, version],
    queryFn: async ({ signal }) =>
      (await client.promptVersions.resolved({ params: { id }, query: { version } }, { signal })).data,
  })

/** Fetches a version, which is immutable. */
export const versionQuery = (id: string, version: string) =>
  queryOptions({
    queryKey: ['version of prompt', id, version],
    queryFn: async ({ signal }) =>
      (await client.promptVersions.get({ params: { id, version } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })

export const versionLabelsQuery = (id: string) =>
  queryOptions({
    queryKey: ['prompt', 'version labels', id],
    queryFn: async ({ signal }) =>
      (
        await client.promptVersions.list(
          { params: { id }, query: { limit: maxPageSize, sort: '-version', fields: 'summary' } },
          { signal },
        )
      ).data.map(({ version, served, message }) => ({ version, served, message })),
  })
