import { IconAlertTriangle } from '@tabler/icons-react'
import type { Network } from '../../../../contract/system/network.ts'
import { t } from '../../../lib/i18n.ts'
import { useMe } from '../../../lib/session/me.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { NewAuthority } from './NewAuthority.tsx'
import styles from './network.module.css'

type Blocker = Network['blockers'][number]

/**
 * The reasons why the service is not shared, each with the way to remove it. While sharing is off, the reasons
 * that would prevent it.
 */
export function Blockers({ network }: { readonly network: Network }) {
  if (network.blockers.length === 0) return null
  return (
    <ul className={styles['blockers']} aria-label={t('settings:network.blockers')}>
      {network.blockers.map((blocker) => (
        <li key={blocker.code + blocker.message}>
          <IconAlertTriangle size={16} />
          <span className={styles['blocker']}>{blocker.message}</span>
          <Remedy code={blocker.code} />
        </li>
      ))}
    </ul>
  )
}

function Remedy({ code }: Pick<Blocker, 'code'>) {
  const { must_change_password: mustChange, auth } = useMe()
  if (code === 'authority') return <NewAuthority />
  if (code === 'default_token') {
    return (
      <LinkButton to="/settings" hash="token" size="compact-xs" variant="default">
        {t('settings:network.fix_token')}
      </LinkButton>
    )
  }
  if (code !== 'default_password') return null
  // The account with the built-in password may be another one.
  const isOwn = mustChange && auth === 'session'
  return (
    <LinkButton to={isOwn ? '/profile' : '/users/{-$id}'} size="compact-xs" variant="default">
      {t(isOwn ? 'settings:network.fix_password' : 'settings:network.fix_users')}
    </LinkButton>
  )
}
