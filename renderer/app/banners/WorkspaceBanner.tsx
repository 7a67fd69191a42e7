import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { useShellSearch } from '../../lib/page/address.ts'
import { asApiError } from '../../lib/service/api.ts'
import { workspaceQuery } from '../../lib/service/workspaces.ts'
import { Banner } from '../../ui/feedback/Banner.tsx'

/** Banner while the address names a workspace that does not exist for the user. */
export function WorkspaceBanner() {
  const [{ workspace }, setSearch] = useShellSearch()
  const { error } = useQuery(workspaceQuery(workspace))
  if (workspace === undefined || asApiError(error)?.status !== 404) return null
  return (
    <Banner
      tone="warn"
      action={
        <Button size="compact-xs" variant="default" onClick={() => setSearch({ workspace: undefined })}>
          {t('shell:workspace.show_all')}
        </Button>
      }
    >
      {t('shell:workspace.missing', { name: workspace })}
    </Banner>
  )
}
