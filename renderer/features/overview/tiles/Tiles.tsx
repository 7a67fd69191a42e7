import { memo } from 'react'
import type { RunStats } from '../../../../contract/runs/run-stats.ts'
import {
  formatDuration,
  formatMoney,
  formatNumber,
  formatPercent,
  formatShort,
  unknown,
} from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { durationFrom, formatPercentile, percentileHint } from '../../../shared/runs/percentiles.ts'
import { errorShareOf } from '../health.ts'
import styles from '../overview.module.css'
import { type OverviewSearch, scopeOf } from '../overview.search.ts'
import { changeOf, pointsOf } from './change.ts'
import type { PreviousStats } from './stats.ts'
import { Tile } from './Tile.tsx'

type Props = {
  readonly search: OverviewSearch
  readonly current: RunStats
  readonly previous: PreviousStats | null
  readonly clients: number | undefined
}

/** Smaller values are displayed with every digit. The previous value has less space than the main one. */
const shortenMainFrom = 10_000_000
const shortenPreviousFrom = 100_000
const formatPrevious = (value: number): string =>
  value < shortenPreviousFrom ? formatNumber(value) : formatShort(value)
const formatMain = (value: number): string =>
  value < shortenMainFrom ? formatNumber(value) : formatShort(value)

export const Tiles = memo(function Tiles({ search, current, previous, clients }: Props) {
  const scope = scopeOf(search)
  const share = errorShareOf(current)
  const shareBefore = previous === null ? null : errorShareOf(previous)
  const { series } = current
  const toRuns = { to: '/runs/{-$id}', params: { id: undefined } } as const
  const note = previous === null ? t('overview:change.all_time') : undefined
  return (
    <section className={styles['tiles']} aria-label={t('overview:tiles')}>
      <Tile
        {...toRuns}
        search={scope}
        label={t('overview:tile.runs')}
        value={formatMain(current.total)}
        exact={formatNumber(current.total)}
        change={changeOf(current.total, previous?.total ?? null)}
        before={formatPrevious(previous?.total ?? 0)}
        note={note}
        series={series.map((point) => point.count)}
      />
      <Tile
        {...toRuns}
        search={{ ...scope, status: ['error'] }}
        label={t('overview:tile.errors')}
        value={formatPercent(share)}
        exact={t('overview:tile.errors_exact', { count: current.error, shown: formatNumber(current.error) })}
        change={pointsOf(share, shareBefore)}
        before={formatPercent(shareBefore)}
        rise="bad"
        note={note}
        series={series.map((point) => (point.count === 0 ? 0 : point.error / point.count))}
      />
      <Tile
        {...toRuns}
        search={{
          ...scope,
          min_latency_ms:
            current.p95_latency_ms === null ? undefined : durationFrom(current.p95_latency_ms, current.exact),
        }}
        label={t('overview:tile.p95')}
        value={formatPercentile(current.p95_latency_ms, current.exact)}
        exact={percentileHint(current.exact)}
        change={changeOf(current.p95_latency_ms, previous?.p95_latency_ms ?? null)}
        before={formatDuration(previous?.p95_latency_ms)}
        rise="bad"
        note={note}
        series={series.flatMap((point) => point.p95_latency_ms ?? [])}
      />
      <Tile
        {...toRuns}
        search={scope}
        label={t('overview:tile.tokens')}
        value={formatMain(current.total_tokens)}
        exact={formatNumber(current.total_tokens)}
        change={changeOf(current.total_tokens, previous?.total_tokens ?? null)}
        before={formatPrevious(previous?.total_tokens ?? 0)}
        note={note}
        series={series.map((point) => point.total_tokens)}
      />
      <Tile
        {...toRuns}
        search={scope}
        label={t('overview:tile.cost')}
        value={formatMoney(current.cost_usd)}
        change={changeOf(current.cost_usd, previous?.cost_usd ?? null)}
        before={formatMoney(previous?.cost_usd)}
        note={
          current.cost_unknown > 0
            ? t('overview:tile.unpriced', {
                count: current.cost_unknown,
                shown: formatMain(current.cost_unknown),
              })
            : note
        }
        series={series.map((point) => point.cost_usd ?? 0)}
      />
      <Tile
        to="/clients/{-$id}"
        params={{ id: undefined }}
        label={t('overview:tile.clients')}
        value={clients === undefined ? unknown : formatNumber(clients)}
        note={t('overview:tile.now')}
      />
    </section>
  )
})
