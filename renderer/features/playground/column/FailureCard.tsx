import { Button } from '@mantine/core'
import { t } from '../../../lib/i18n.ts'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import type { Failure } from '../playground.state.ts'
import styles from './outcome.module.css'

type Props = { readonly failure: Failure; readonly onRetry: (() => void) | null }

/** A failure with its type, invalid fields, links to its details, and a retry button. */
export function FailureCard({ failure, onRetry }: Props) {
  const { title, detail, type, requestId, runId, fields } = failure
  return (
    <div className={styles['failure']} role="alert" data-testid="failure">
      <div className={styles['failureHead']}>
        <b>{title}</b>
        {type !== null && <span className="mono">{type}</span>}
      </div>
      <div>{detail}</div>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <span className="mono">{path.replace(/^body\./, '')}</span>: {message}
            </li>
          ))}
        </ul>
      )}
      {requestId !== null && (
        <div className={styles['request']}>
          <span className={styles['label']}>{t('common:error.request')}</span>
          <span className="mono truncate">{requestId}</span>
          <CopyButton value={requestId} label={t('common:error.copy_request')} />
        </div>
      )}
      <div className={styles['failureActions']}>
        {onRetry !== null && (
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            {t('common:error.retry')}
          </Button>
        )}
        {runId !== null && (
          <LinkButton size="compact-xs" variant="default" to="/runs/{-$id}" params={{ id: String(runId) }}>
            {t('playground:figures.run', { id: runId })}
          </LinkButton>
        )}
      </div>
    </div>
  )
}
