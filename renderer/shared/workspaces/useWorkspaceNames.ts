import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { t } from '../../lib/i18n.ts'
import { deletedWorkspacesQuery, workspaceChoicesQuery } from '../../lib/service/workspaces.ts'

/**
 * Returns a function that returns the name of a workspace by its id or slug; that of a deleted one is marked.
 * `shown`: the workspaces to show. The names of deleted ones are requested only if there is one among them.
 */
export function useWorkspaceNames(shown: readonly string[]): (idOrSlug: string) => string | undefined {
  const existing = useQuery(workspaceChoicesQuery).data
  const isKnown = (idOrSlug: string): boolean =>
    existing?.some(({ id, slug }) => id === idOrSlug || slug === idOrSlug) === true
  const enabled = existing !== undefined && !shown.every(isKnown)
  const deleted = useQuery({ ...deletedWorkspacesQuery, enabled }).data
  return useCallback(
    (idOrSlug) => {
      const found = existing?.find(({ id, slug }) => id === idOrSlug || slug === idOrSlug)
      if (found !== undefined) return found.name
      const former = deleted?.find(({ id }) => id === idOrSlug)
      return former && t('common:deleted_name', { name: former.name })
    },
    [existing, deleted],
  )
}
