import { Tooltip } from '@mantine/core'
import { IconLayersSubtract } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Membership } from '../../../contract/accounts/access.ts'
import { t } from '../../lib/i18n.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { Badge } from '../../ui/display/Badge.tsx'

/** The number of listed workspaces; their names and roles are in the tooltip. */
export function AccessBadge({ memberships }: { readonly memberships: readonly Membership[] }) {
  const lines = useMembershipTexts(memberships)
  return (
    <Tooltip label={lines.length === 0 ? t('common:access.none') : lines.join(', ')} multiline maw={320}>
      <span>
        <Badge tone="quiet" icon={<IconLayersSubtract size={13} />}>
          {t('common:access.count', { count: memberships.length })}
        </Badge>
      </span>
    </Tooltip>
  )
}

/** Returns `Support: Editor` for each membership. */
export function useMembershipTexts(memberships: readonly Membership[]): string[] {
  const { data } = useQuery(workspaceChoicesQuery)
  return memberships.map(({ workspace_id: id, role }) =>
    t('common:access.in', {
      name: data?.find((each) => each.id === id)?.name ?? id,
      role: t(`common:role.${role}`),
    }),
  )
}
