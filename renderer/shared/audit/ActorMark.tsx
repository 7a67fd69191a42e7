import { IconKey, IconServer, IconUserQuestion } from '@tabler/icons-react'
import type { AuditEntry } from '../../../contract/system/audit.ts'
import { t } from '../../lib/i18n.ts'
import { Avatar } from '../../ui/display/Avatar.tsx'
import styles from './audit.module.css'

const icons = {
  api_token: IconKey,
  service_token: IconKey,
  system: IconServer,
  anonymous: IconUserQuestion,
} as const

/** Icon of an actor: a user's initials, or a symbol for a token, the service or an anonymous actor. */
export function ActorMark({ entry }: { readonly entry: AuditEntry }) {
  const { actor, actor_kind: kind } = entry
  if (kind === 'user') return <Avatar name={actor} size={22} />
  const Icon = icons[kind]
  return (
    <span className={styles['mark']} role="img" aria-label={t(`audit:kind.${kind}`)}>
      <Icon size={13} />
    </span>
  )
}
