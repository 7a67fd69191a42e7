import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { StatFigures, StatGroup } from '../../../../contract/runs/run-stats.ts'
import { formatPercent } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { durationFrom } from '../../../shared/runs/percentiles.ts'
import { Hint } from '../../../ui/display/Hint.tsx'
import { changeOf, type Figure, figures, figureText, isPercentile, isSum, isTtft } from '../figures.ts'
import {
  filtersOfGroup,
  isMissing,
  type NameColumn,
  nameColumnsOf,
  nameOf,
  type Workspaces,
} from '../groupNames.ts'
import { type RunsLink, runsLinkOf } from '../runsLink.ts'
import styles from '../statistics.module.css'
import { dimensionsOf, type GroupedStats } from '../statistics.queries.ts'
import { defaultMetric, type Metric, type StatisticsSearch } from '../statistics.search.ts'
import { GroupTableHead } from './GroupTableHead.tsx'

type Props = {
  readonly data: GroupedStats
  readonly workspaces: Workspaces
  readonly setSearch: SetSearch<StatisticsSearch>
}

/** Table of groups with their figures. Each figure links to its runs. */
export function GroupTable({ data, workspaces, setSearch }: Props) {
  const { stats, search } = data
  const metric = search.metric ?? defaultMetric
  const names = nameColumnsOf(dimensionsOf(search))
  const sort = search.sort ?? `-${metric}`
  const groups = stats.groups ?? []
  const longest = Math.max(0, ...groups.map((group) => group[metric] ?? 0))
  const total: StatFigures = { ...stats, count: stats.total, error_rate: rateOf(stats.error, stats.total) }
  const changes = (now: StatFigures, before: StatFigures | null | undefined) => (
    <Change metric={metric} now={now} before={before} isCompared={stats.previous !== undefined} />
  )
  return (
    <div className={styles['scroll']}>
      <table className={styles['table']} aria-label={t('statistics:table')}>
        <GroupTableHead
          names={names}
          metric={metric}
          sort={sort}
          onSort={(next) => setSearch({ sort: next as StatisticsSearch['sort'] })}
        />
        <tbody>
          {groups.map((group) => (
            <tr key={names.map((name) => group[name] ?? '').join('\u0000')}>
              <Names
                names={names}
                group={group}
                workspaces={workspaces}
                share={shareOf(group[metric], longest)}
              />
              <td>{isSum(metric) ? formatPercent(rateOf(group[metric], total[metric])) : null}</td>
              <Cells data={data} of={group} filters={filtersOfGroup(names, group, workspaces)} />
              <td>{changes(group, group.previous)}</td>
            </tr>
          ))}
          {stats.other !== null && stats.other !== undefined && (
            <tr>
              <th scope="row" colSpan={names.length} className={styles['quiet']}>
                {t('statistics:other', { count: (stats.group_count ?? 0) - groups.length })}
              </th>
              <td>{isSum(metric) ? formatPercent(rateOf(stats.other[metric], total[metric])) : null}</td>
              <Cells data={data} of={stats.other} filters={null} />
              <td />
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={names.length}>
              {t('statistics:total')}
            </th>
            <td />
            <Cells data={data} of={total} filters={{}} />
            <td>{changes(total, stats.previous)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

const rateOf = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole === 0 ? null : part / whole
const shareOf = (value: number | null, longest: number): number =>
  longest === 0 ? 0 : Math.max(0, (value ?? 0) / longest)

type NamesProps = {
  readonly names: readonly NameColumn[]
  readonly group: StatGroup
  readonly workspaces: Workspaces
  /** Length of the bar, from 0 to 1. */
  readonly share: number
}

function Names({ names, group, workspaces, share }: NamesProps) {
  return names.map((name, index) => {
    const text = nameOf(name, group, workspaces)
    const Cell = index === 0 ? 'th' : 'td'
    return (
      <Cell key={name} className={styles['name']} {...(index === 0 && { scope: 'row' })}>
        {index === 0 && (
          <span className={styles['bar']} style={{ width: `${100 * share}%` }} aria-hidden="true" />
        )}
        <bdi className={isMissing(name, group) ? styles['quiet'] : undefined} title={text}>
          {text}
        </bdi>
      </Cell>
    )
  })
}

type CellsProps = {
  readonly data: GroupedStats
  readonly of: StatFigures
  /** Filters of the rows behind the figures; null without a link. */
  readonly filters: RunsLink | null
}

function Cells({ data, of, filters }: CellsProps) {
  return figures.map((figure) => {
    const { text, hint } = figureText(figure, of)
    const label = t(`statistics:figure.${figure}`)
    const shown: ReactNode =
      hint === undefined ? (
        text
      ) : (
        <Hint label={hint}>
          <span>{text}</span>
        </Hint>
      )
    const more = filters === null || of[figure] === null || of[figure] === 0 ? null : extraFilters(figure, of)
    return (
      <td key={figure}>
        {filters === null || more === null ? (
          shown
        ) : (
          <Link
            to="/runs/{-$id}"
            params={{ id: undefined }}
            search={runsLinkOf(data.search, data.range, { ...filters, ...more })}
            preload={false}
            className={styles['figure'] ?? ''}
            aria-label={t('statistics:to_runs', { figure: text, name: label })}
          >
            {shown}
          </Link>
        )}
      </td>
    )
  })
}

/** Returns the filters of the runs that a figure counts: failed runs, or those from a percentile on. */
function extraFilters(figure: Figure, of: StatFigures): RunsLink {
  if (figure === 'error' || figure === 'error_rate') return { status: ['error'] }
  const duration = isPercentile(figure) ? of[figure] : null
  if (duration === null) return {}
  return { [isTtft(figure) ? 'min_ttft_ms' : 'min_latency_ms']: durationFrom(duration, of.exact) }
}

type ChangeProps = {
  readonly metric: Metric
  readonly now: StatFigures
  readonly before: StatFigures | null | undefined
  readonly isCompared: boolean
}

function Change({ metric, now, before, isCompared }: ChangeProps) {
  if (!isCompared) return null
  if (before === null || before === undefined)
    return <span className={styles['quiet']}>{t('statistics:new')}</span>
  const change = changeOf(metric, now, before)
  if (change === null) return null
  const text = `${change > 0 ? '+' : change < 0 ? '−' : ''}${formatPercent(Math.abs(change))}`
  return (
    <Hint label={t('statistics:before', { value: figureText(metric, before).text })}>
      <span>{text}</span>
    </Hint>
  )
}
