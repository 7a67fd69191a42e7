import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconMoon } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Fragment, memo, type ReactNode } from 'react'
import type { ProviderChoice } from '../../../contract/models/provider-choice.ts'
import type { Run } from '../../../contract/runs/run.ts'
import type { RunStats } from '../../../contract/runs/run-stats.ts'
import type { AuditEntry } from '../../../contract/system/audit.ts'
import { formatDuration, formatNumber, formatPercent } from '../../lib/format/format.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { useIsAllowed } from '../../lib/session/me.ts'
import { durationFrom, formatPercentile } from '../../shared/runs/percentiles.ts'
import { Time } from '../../ui/display/Time.tsx'
import { errorShareOf, type Health } from './health.ts'
import styles from './overview.module.css'
import { type OverviewSearch, scopeOf } from './overview.search.ts'
import type { PreviousStats } from './tiles/stats.ts'

type Props = {
  readonly health: Health
  readonly search: OverviewSearch
  readonly current: RunStats
  readonly previous: PreviousStats | null
  /** The providers that do not work. */
  readonly failing: readonly ProviderChoice[]
  readonly clients: number | undefined
  readonly lastChange: AuditEntry | undefined
  /** Displayed instead of `lastChange`; null if nothing was ever published. */
  readonly lastPublish: AuditEntry | null | undefined
  /** The newest run, if the period has no runs; null if there is no run at all. */
  readonly newest: Run | null | undefined
}

const icons = { ok: IconCircleCheck, warn: IconAlertTriangle, bad: IconCircleX, quiet: IconMoon } as const

/**
 * A sentence such as "Healthy: 99.2% ok, p95 1.4 s, 14 clients, last change 12 min ago by edda"; each part
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

type Part = readonly [name: string, part: ReactNode]

const partsOf = (props: Props): readonly Part[] => [
  ...chainParts(props),
  ...providerParts(props),
  ...runParts(props),
  ...clientParts(props),
  ...changeParts(props),
]

const chainParts = ({ health }: Props): readonly Part[] =>
  (['chain', 'chain_partly'] as const)
    .filter((reason) => health.reasons.includes(reason))
    .map((reason) => [
      reason,
      <Link key={reason} to="/audit/{-$id}" params={{ id: undefined }} search={{ workspace: undefined }}>
        {t(`overview:health.${reason}`)}
      </Link>,
    ])

function providerParts({ failing }: Props): readonly Part[] {
  return failing.map((provider) => [provider.name, <FailingProvider key={provider.name} {...provider} />])
}

/** The name and the reason; a link for those who may open the page of the providers. */
function FailingProvider({ label, error, failing_since: since }: ProviderChoice) {
  const mayOpen = useIsAllowed('providers.manage')
  const text = tNode('overview:health.provider', {
    name: <bdi>{label}</bdi>,
    time: <Time at={since} />,
    // The sentence continues after it.
    reason: (error ?? '').replace(/\.$/, ''),
  })
  return mayOpen ? <Link to="/providers">{text}</Link> : <span>{text}</span>
}

function runParts({ health, search, current, previous, newest }: Props): readonly Part[] {
  const share = errorShareOf(current)
  if (share === null)
    return newest
      ? [['newest', tNode('overview:health.newest', { time: <Time at={newest.created_at} /> })]]
      : []
  const scope = scopeOf(search)
  const toRuns = (extra: object, text: ReactNode) => (
    <Link to="/runs/{-$id}" params={{ id: undefined }} search={{ ...scope, ...extra }}>
      {text}
    </Link>
  )
  const p95 = formatPercentile(current.p95_latency_ms, current.exact)
  const failed = t('overview:health.failed', {
    percent: formatPercent(share),
    failed: formatNumber(current.error),
    total: formatNumber(current.total),
  })
  return [
    [
      'errors',
      health.reasons.includes('errors')
        ? toRuns({ status: ['error'] }, failed)
        : toRuns({}, t('overview:health.succeeded', { percent: formatPercent(1 - share) })),
    ],
    [
      'p95',
      toRuns(
        { min_latency_ms: durationFrom(current.p95_latency_ms ?? 0, current.exact) },
        health.reasons.includes('slow')
          ? t('overview:health.slow', { p95, before: formatDuration(previous?.p95_latency_ms) })
          : t('overview:health.p95', { p95 }),
      ),
    ],
  ]
}

function clientParts({ clients }: Props): readonly Part[] {
  if (clients === undefined) return []
  const link = (
    <Link key="clients" to="/clients/{-$id}" params={{ id: undefined }}>
      {t('overview:health.clients', { count: clients })}
    </Link>
  )
  return [['clients', link]]
}

function changeParts({ lastPublish, lastChange }: Props): readonly Part[] {
  const change = lastPublish ?? lastChange
  if (change === undefined) return []
  const values = { time: <Time at={change.created_at} />, actor: <bdi>{change.actor}</bdi> }
  const link = (
    <Link key="change" to="/audit/{-$id}" params={{ id: String(change.id) }}>
      {tNode(`overview:health.${changeKind(change)}`, values)}
    </Link>
  )
  return [['change', link]]
}

function changeKind({ action }: AuditEntry): 'publish' | 'rollback' | 'change' {
  if (action === 'publish' || action === 'promote') return 'publish'
  return action === 'rollback' ? 'rollback' : 'change'
}
