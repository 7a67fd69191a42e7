import { Skeleton } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { t } from '../../../lib/i18n.ts'
import { Diff } from '../../../ui/diff/Diff.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { behaviourOf, callsOf, type DefinitionVersion, type Kind } from '../definition.ts'

type Props = {
  readonly kind: Kind
  readonly id: string
  readonly from: string
  readonly to: string
}

/** Fetches a version. It never changes, so it is fetched once. */
const versionQuery = (kind: Kind, id: string, version: string) =>
  queryOptions({
    queryKey: [kind, 'version', id, version],
    queryFn: async ({ signal }): Promise<DefinitionVersion> =>
      (await callsOf(kind).version({ params: { id, version } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Comparison of two versions, without their metadata. */
export function VersionDiff({ kind, id, from, to }: Props) {
  const before = useQuery(versionQuery(kind, id, from))
  const after = useQuery(versionQuery(kind, id, to))
  const error = before.error ?? after.error
  if (error !== null) {
    return <ErrorState error={error} onRetry={() => void Promise.all([before.refetch(), after.refetch()])} />
  }
  if (before.data === undefined || after.data === undefined) return <Skeleton height={120} />
  return (
    <Diff
      before={behaviourOf(before.data)}
      after={behaviourOf(after.data)}
      empty={t(from === to ? 'definition:versions.first' : 'definition:versions.identical')}
    />
  )
}
