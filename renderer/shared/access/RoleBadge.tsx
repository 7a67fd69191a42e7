import { IconEye, IconPencil, IconShield } from '@tabler/icons-react'
import type { Role } from '../../../contract/common/roles.ts'
import { t } from '../../lib/i18n.ts'
import { Badge } from '../../ui/display/Badge.tsx'

export const roleIcons = { viewer: IconEye, editor: IconPencil, admin: IconShield } as const

export function RoleBadge({ role }: { readonly role: Role }) {
  const Icon = roleIcons[role]
  return (
    <Badge tone={role === 'admin' ? 'accent' : 'quiet'} icon={<Icon size={13} />}>
      {t(`common:role.${role}`)}
    </Badge>
  )
}
