import { IconPlugOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ProviderChoice } from '../../../contract/models/provider-choice.ts'
import { t } from '../../lib/i18n.ts'
import { useIsAllowed } from '../../lib/session/me.ts'
import { describeHolders, rolesQuery } from '../../lib/session/roles.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import styles from './column/column.module.css'

/** The reason why a provider cannot be called, and who can configure it. */
export function NotConfigured({ choice }: { readonly choice: ProviderChoice }) {
  const mayConfigure = useIsAllowed('providers.manage')
  const roles = useQuery({ ...rolesQuery, enabled: !mayConfigure }).data
  return (
    <div className={styles['notConfigured']} role="status" data-testid="not-configured">
      <IconPlugOff size={22} stroke={1.5} />
      <b>{t('playground:off.title', { name: choice.label })}</b>
      <span>{choice.reason ?? t('playground:off.text')}</span>
      {mayConfigure ? (
        <LinkButton variant="default" to="/providers">
          {t('playground:off.settings')}
        </LinkButton>
      ) : (
        <span className="dimmed">{describeHolders('admin', roles)}</span>
      )}
    </div>
  )
}
