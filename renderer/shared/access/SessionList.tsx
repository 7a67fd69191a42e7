import { Button, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Session } from '../../../contract/accounts/session.ts'
import { t } from '../../lib/i18n.ts'
import { describeAgent } from '../../lib/session/userAgent.ts'
import { Badge } from '../../ui/display/Badge.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import styles from '../../ui/list/ItemList.module.css'

type Props = {
  readonly sessions: readonly Session[] | undefined
  readonly error: unknown
  readonly onRetry: () => void
  readonly empty: ReactNode
  /** Adds a button to each session but the current one, which calls this. */
  readonly onRevoke?: (session: Session) => void
}

/** A user's sessions: the client, its address, and since when. */
export function SessionList({ sessions, error, onRetry, empty, onRevoke }: Props) {
  if (sessions === undefined) {
    return error === null ? <Skeleton height={44} /> : <ErrorState error={error} onRetry={onRetry} />
  }
  if (sessions.length === 0) return <div className="dimmed">{empty}</div>
  return (
    <ul className={styles['list']}>
      {sessions.map((session) => (
        <li key={session.id} className={styles['item']}>
          <div className={styles['text']}>
            <div className={styles['line']}>
              <span className="truncate" title={session.user_agent}>
                {session.device === null ? '' : `${session.device.name} · `}
                {describeAgent(session.user_agent)}
              </span>
              {session.current && <Badge tone="ok">{t('common:session.current')}</Badge>}
            </div>
            <div className={styles['facts']}>
              <span className="mono">{session.ip}</span> · {t('common:session.seen')}{' '}
              <Time at={session.last_seen_at} /> · {t('common:session.since')}{' '}
              <Time at={session.created_at} />
            </div>
          </div>
          {onRevoke !== undefined && !session.current && (
            <Button variant="default" size="compact-xs" onClick={() => onRevoke(session)}>
              {t('common:session.end')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
