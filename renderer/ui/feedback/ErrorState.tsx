import { Button } from '@mantine/core'
import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { asApiError } from '../../lib/service/api.ts'
import { CopyButton } from '../display/link/CopyButton.tsx'
import { ForbiddenState } from './ForbiddenState.tsx'
import styles from './State.module.css'

type Props = {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
  /** Shown instead of Retry, or beside it. */
  readonly action?: ReactNode
}

/** Message about an error: what happened, why, and what to do. A 403 names the required role. */
export function ErrorState({ error, onRetry, action }: Props) {
  const failure = asApiError(error)
  if (failure?.status === 403) return <ForbiddenState error={failure} />
  const isUnreachable = failure?.status === 0
  const requestId = failure?.problem?.request_id
  const Icon = isUnreachable ? IconPlugConnectedX : IconAlertTriangle
  return (
    <div className={styles['state']} role="alert" data-testid="error">
      <div className={`${styles['icon']} ${styles['bad']}`}>
        <Icon size={28} stroke={1.5} />
      </div>
      <div className={styles['title']}>
        {isUnreachable
          ? t('common:error.unreachable_title')
          : (failure?.problem?.title ?? t('common:error.title'))}
      </div>
      <div className={styles['text']}>
        {isUnreachable ? t('common:error.unreachable') : (failure?.message ?? t('common:error.unknown'))}
      </div>
      {requestId !== undefined && (
        <div className={styles['request']}>
          {t('common:error.request')} <span className="mono">{requestId}</span>
          <CopyButton value={requestId} label={t('common:error.copy_request')} />
        </div>
      )}
      {(onRetry !== undefined || action !== undefined) && (
        <div className={styles['actions']}>
          {onRetry !== undefined && (
            <Button variant="default" onClick={onRetry}>
              {t('common:error.retry')}
            </Button>
          )}
          {action}
        </div>
      )}
    </div>
  )
}
