import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { formatMoney, formatNumber, formatPercent } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { durationFrom, formatPercentile } from '../../../shared/runs/percentiles.ts'
import { Bars } from '../../../ui/display/Bars.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { warnShare } from '../health.ts'
import styles from '../overview.module.css'
import { type FilterName, type OverviewSearch, scopeOf } from '../overview.search.ts'

/** The figures of one provider, model, source or key; `name` is null for runs without a key. */
export type Slice = {
  readonly name: string | null
  /** Environment of a key; null if it is unknown. */
  readonly env?: string | null
  readonly count: number
  readonly error: number
  readonly p95_latency_ms: number | null
  /** True if the percentile is that of the runs. */
  readonly exact: boolean
  readonly cost_usd: number | null
}

type Props = {
  readonly by: FilterName
  readonly slices: readonly Slice[]
  readonly search: OverviewSearch
  readonly setSearch: SetSearch<OverviewSearch>
}

const maxCollapsedSlices = 6

/**
 * A table of runs by one dimension. A name adds or removes a filter of the Overview; a figure links to its
 * runs.
 */
export function Breakdown({ by, slices, search, setSearch }: Props) {
  const [isAll, setAll] = useState(false)
  const title = t(`overview:by.${by}`)
  const shown = isAll ? slices : slices.slice(0, maxCollapsedSlices)
  const chosen = search[by] ?? []
  const toggle = (name: string): void => {
    const next = chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]
    setSearch({ [by]: next.length === 0 ? undefined : next })
  }
  const toRuns: ToRuns = ({ name, env }, figure, extraFilters, label) =>
    name === null ? (
      figure
    ) : (
      <Link
        to="/runs/{-$id}"
        params={{ id: undefined }}
        search={{ ...scopeOf(search), [by]: [name], ...envFilter(env), ...extraFilters }}
        preload={false}
        className={styles['figure'] ?? ''}
        aria-label={t('overview:by.to_runs', { figure: label, name })}
        onClick={(event) => event.stopPropagation()}
      >
        {figure}
      </Link>
    )
  return (
    <Section
      title={title}
      aside={
        slices.length > maxCollapsedSlices && (
          <Button variant="subtle" size="compact-xs" onClick={() => setAll(!isAll)} aria-expanded={isAll}>
            {isAll ? t('overview:by.fewer') : t('overview:by.all', { count: slices.length })}
          </Button>
        )
      }
    >
      <Bars
        label={title}
        columns={[
          t(`overview:by.name.${by}`),
          t('overview:by.runs'),
          t('overview:by.errors'),
          t('overview:by.p95'),
          t('overview:by.cost'),
        ]}
        empty={t('overview:by.none')}
        bars={shown.map((slice) => {
          const { name, count } = slice
          return {
            key: `${slice.env ?? ''} ${name ?? ''}`,
            label:
              name === null ? (
                <span className="dimmed">{t('overview:by.no_key')}</span>
              ) : (
                <>
                  <bdi className={by === 'model' || by === 'ref_key' ? 'mono' : ''} title={name}>
                    {name}
                  </bdi>
                  {slice.env !== undefined && (
                    <span className="dimmed"> {slice.env ?? t('overview:by.unknown_env')}</span>
                  )}
                </>
              ),
            value: count,
            cells: cellsOf(slice, toRuns),
            ...(name === null ? {} : { onOpen: () => toggle(name), isChosen: chosen.includes(name) }),
          }
        })}
      />
    </Section>
  )
}

/** Returns the filter that finds runs of an environment, or those without one. */
const envFilter = (env: string | null | undefined): object =>
  env === undefined ? {} : env === null ? { has_no: ['env'] } : { env: [env] }

type ToRuns = (slice: Slice, figure: string, extraFilters: object, label: string) => ReactNode

/** Returns the figures of a slice, each with a link to its runs. */
function cellsOf(slice: Slice, toRuns: ToRuns) {
  const { count, error, p95_latency_ms: p95, exact, cost_usd: cost } = slice
  const p95Shown = formatPercentile(p95, exact)
  const isBad = error >= warnShare * count && error > 0
  return [
    toRuns(slice, formatNumber(count), {}, runsText(count)),
    <span key="errors" style={isBad ? { color: 'var(--pd-bad)' } : {}}>
      {error === 0
        ? formatPercent(count === 0 ? null : 0)
        : toRuns(slice, formatPercent(error / count), { status: ['error'] }, errorsText(error, count))}
    </span>,
    p95 === null
      ? p95Shown
      : toRuns(slice, p95Shown, { min_latency_ms: durationFrom(p95, exact) }, p95Text(p95Shown)),
    cost === null ? formatMoney(cost) : toRuns(slice, formatMoney(cost), {}, costText(cost)),
  ]
}

const runsText = (count: number): string => t('overview:by.runs_of', { count, shown: formatNumber(count) })
const p95Text = (shown: string): string => t('overview:by.p95_of', { shown })
const costText = (cost: number): string => t('overview:by.cost_of', { shown: formatMoney(cost) })
/** Begins with the visible text, so that speech control finds the link by it (WCAG 2.5.3). */
const errorsText = (error: number, count: number): string =>
  t('overview:by.errors_of', {
    count: error,
    percent: formatPercent(error / count),
    shown: formatNumber(error),
  })
