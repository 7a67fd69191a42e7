import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { useShellSearch } from '../../lib/page/address.ts'
import { asApiError } from '../../lib/service/api.ts'
import { workspaceQuery } from '../../lib/service/workspaces.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'

/** The reason why a list has no rows yet, unless the workspace of the address cannot be opened. */
export function InWorkspace({ children }: { readonly children: ReactNode }) {
  const [{ workspace }] = useShellSearch()
  const { error } = useQuery(workspaceQuery(workspace))
  if (workspace === undefined || asApiError(error)?.status !== 404) return children
  return (
    <EmptyState
      title={t('common:workspace_missing.title')}
      text={t('common:workspace_missing.text', { name: workspace })}
    />
  )
}
