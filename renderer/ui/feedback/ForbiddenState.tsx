import { IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { ApiError } from '../../../contract/client.ts'
import type { Role } from '../../../contract/common/roles.ts'
import { t } from '../../lib/i18n.ts'
import { useMe } from '../../lib/session/me.ts'
import { describeHolders, rolesQuery } from '../../lib/session/roles.ts'
import { hasTypedValues } from '../../lib/state/drafts.ts'
import { LinkButton } from '../display/link/LinkButton.tsx'
import styles from './State.module.css'

type Props = {
  readonly error?: ApiError
  /** The required role, if it is known without a request. */
  readonly requiredRole?: Role
  /** Further reasons besides the role. */
  readonly children?: ReactNode
}

/** Message of a page that the role does not allow: the required role, and who can help. */
export function ForbiddenState({ error, requiredRole, children }: Props) {
  const me = useMe()
  const [hasDraft, setHasDraft] = useState(false)
  useEffect(() => setHasDraft(hasTypedValues(me.username)), [me.username])
  const required = error?.problem?.required_role ?? requiredRole
  const roles = useQuery({ ...rolesQuery, enabled: required !== undefined }).data
  return (
    <div className={styles['state']} role="alert" data-testid="forbidden">
      <div className={styles['icon']}>
        <IconLock size={28} stroke={1.5} />
      </div>
      <div className={styles['title']}>{t('common:forbidden.title')}</div>
      <div className={styles['text']}>
        {required === undefined
          ? (error?.message ?? t('common:forbidden.text'))
          : t('common:forbidden.role', {
              role: t(`common:role.${required}`),
              own: t(`common:role.${me.role}`),
            })}
      </div>
      {hasDraft && <div className={styles['text']}>{t('common:forbidden.draft')}</div>}
      {children !== undefined && <div className={styles['text']}>{children}</div>}
      {required !== undefined && describeHolders('admin', roles) !== '' && (
        <div className={styles['text']}>{describeHolders('admin', roles)}</div>
      )}
      <div className={styles['actions']}>
        <LinkButton variant="default" to="/">
          {t('common:forbidden.home')}
        </LinkButton>
      </div>
    </div>
  )
}
