import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconMoon } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Fragment, memo, type ReactNode } from 'react'
import type { AuditEntry } from '../../../contract/audit.ts'
import type { Run } from '../../../contract/run.ts'
import type { RunStats } from '../../../contract/run-stats.ts'
import { formatDuration, formatNumber, formatPercent } from '../../lib/format/format.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { Time } from '../../ui/display/Time.tsx'
import { errorShareOf, type Health } from './health.ts'
import styles from './overview.module.css'
import { type OverviewSearch, scopeOf } from './overview.search.ts'
import { latencyFrom } from './tiles/stats.ts'

type Props = {
  readonly health: Health
  readonly search: OverviewSearch
  readonly current: RunStats
  readonly previous: RunStats | null
  readonly clients: number | undefined
  readonly lastChange: AuditEntry | undefined
  /** Displayed instead of `lastChange`; null if nothing was ever published. */
  readonly lastPublish: AuditEntry | null | undefined
  /** The newest run, if the period has no runs; null if there is no run at all. */
  readonly newest: Run | null | undefined
}

const icons = { ok: IconCircleCheck, warn: IconAlertTriangle, bad: IconCircleX, quiet: IconMoon } as const

/**
 * A sentence such as "All well: 99.2 % ok, p95 1.4 s, 14 clients, last change 12 min ago by edda"; each part
 * is a link.
 */
export const HealthSentence = memo(function HealthSentence(props: Props) {
  const { health, newest } = props
  const Icon = icons[health.level]
  const parts = partsOf(props)
  return (
    <p className={styles['health']} data-level={health.level} data-testid="health">
      <Icon size={20} className={styles['healthIcon'] ?? ''} />
      <span>
        <strong>
          {t(
            health.level === 'quiet' && newest === null
              ? 'overview:health.unused'
              : `overview:health.${health.level}`,
          )}
        </strong>
        {parts.map(([name, part], index) => (
          <Fragment key={name}>
            {index === 0 ? ': ' : ', '}
            {part}
          </Fragment>
        ))}
      </span>
    </p>
  )
})

function partsOf(props: Props): readonly (readonly [name: string, part: ReactNode])[] {
  const { health, search, current, previous, clients, newest } = props
  const change = props.lastPublish ?? props.lastChange
  const scope = scopeOf(search)
  const share = errorShareOf(current)
  const toRuns = (extra: object, words: ReactNode) => (
    <Link to="/runs/{-$id}" params={{ id: undefined }} search={{ ...scope, ...extra }}>
      {words}
    </Link>
  )
  const parts: (readonly [string, ReactNode])[] = []
  for (const reason of ['chain', 'chain_partly'] as const) {
    if (!health.reasons.includes(reason)) continue
    parts.push([
      reason,
      <Link key={reason} to="/audit/{-$id}" params={{ id: undefined }} search={{ workspace: undefined }}>
        {t(`overview:health.${reason}`)}
      </Link>,
    ])
  }
  if (share === null && newest) {
    parts.push(['newest', tNode('overview:health.newest', { time: <Time at={newest.created_at} /> })])
  }
  if (share !== null) {
    const isFailing = health.reasons.includes('errors')
    parts.push([
      'errors',
      isFailing
        ? toRuns(
            { status: ['error'] },
            t('overview:health.failed', {
              percent: formatPercent(share),
              failed: formatNumber(current.error),
              total: formatNumber(current.total),
            }),
          )
        : toRuns({}, t('overview:health.succeeded', { percent: formatPercent(1 - share) })),
    ])
    const p95 = formatDuration(current.p95_latency_ms)
    parts.push([
      'p95',
      toRuns(
        { min_latency_ms: latencyFrom(current.p95_latency_ms ?? 0) },
        health.reasons.includes('slow')
          ? t('overview:health.slow', { p95, before: formatDuration(previous?.p95_latency_ms) })
          : t('overview:health.p95', { p95 }),
      ),
    ])
  }
  if (clients !== undefined) {
    parts.push([
      'clients',
      <Link key="clients" to="/clients/{-$id}" params={{ id: undefined }}>
        {t('overview:health.clients', { count: clients })}
      </Link>,
    ])
  }
  if (change !== undefined) {
    parts.push([
      'change',
      <Link key="change" to="/audit/{-$id}" params={{ id: String(change.id) }}>
        {tNode(
          change.action === 'publish' || change.action === 'promote'
            ? 'overview:health.publish'
            : change.action === 'rollback'
              ? 'overview:health.rollback'
              : 'overview:health.change',
          {
            time: <Time at={change.created_at} />,
            actor: <bdi>{change.actor}</bdi>,
          },
        )}
      </Link>,
    ])
  }
  return parts
}
