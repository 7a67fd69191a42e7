import { Link } from '@tanstack/react-router'
import type { Environment } from '../../../../contract/common/environments.ts'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { Badge } from '../../../ui/display/Badge.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import styles from './versions.module.css'

type Props = {
  readonly env: Environment
  readonly row: PromptRow | undefined
  /** True if `row` is the prompt of this page. */
  readonly isHere: boolean
}

/** A card with the version of the key that one environment serves. */
export function EnvironmentCard({ env, row, isHere }: Props) {
  return (
    <div className={styles['env']} data-here={isHere || undefined} data-env={env}>
      <div className={styles['envHead']}>
        <EnvBadge env={env} />
        {isHere && <span className="dimmed">{t('prompt:promote.here')}</span>}
        {row !== undefined && !isHere && (
          <Link to="/prompts/$id" params={{ id: row.id }} search={{ tab: 'versions' }}>
            {t('prompt:promote.open')}
          </Link>
        )}
      </div>
      {row === undefined ? (
        <p className="note">{t('prompt:promote.absent')}</p>
      ) : (
        <>
          <div className={styles['envVersion']}>
            {row.served === null ? (
              <span className="dimmed">{t('prompts:never_published')}</span>
            ) : (
              <b className="mono">{row.served.version}</b>
            )}
            {row.has_draft && <Badge tone="accent">{t('prompts:draft')}</Badge>}
          </div>
          <p className="note">
            {row.published_at !== null &&
              tNode('prompt:promote.since', { time: <Time at={row.published_at} /> })}
            {row.published_at !== null && ' · '}
            {t('prompts:clients', { count: row.client_count })}
          </p>
        </>
      )}
    </div>
  )
}
