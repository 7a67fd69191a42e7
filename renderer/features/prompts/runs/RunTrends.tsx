import { Button, SegmentedControl } from '@mantine/core'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { PromptVersion } from '../../../../contract/prompts/prompt-versions.ts'
import type { RunStats } from '../../../../contract/runs/run-stats.ts'
import { formatNumber, formatPercent } from '../../../lib/format/format.ts'
import { isCustom, type Range } from '../../../lib/format/period.ts'
import { t } from '../../../lib/i18n.ts'
import { useKeys } from '../../../lib/page/keys.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { useHoverOrFocus, usePausedValue } from '../../../lib/state/pausedValue.ts'
import { formatPercentile, percentileHint } from '../../../shared/runs/percentiles.ts'
import { ZoneNote } from '../../../shared/runs/ZoneNote.tsx'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { type PromptSearch, runChartPeriods, spanOf } from '../list/prompts.search.ts'
import styles from '../page/prompt.module.css'
import { runStatsQuery, versionsQuery } from '../prompts.queries.ts'
import { RunChart } from './RunChart.tsx'

type Props = {
  readonly prompt: Prompt
  readonly search: PromptSearch
  readonly setSearch: SetSearch<PromptSearch>
}

const zoomed = 'zoomed'
const none: readonly PromptVersion[] = []

/** Runs and latency of a prompt over a period, with markers for new versions. */
export function RunTrends({ prompt, search, setSearch }: Props) {
  const span = spanOf(search)
  const stats = useQuery(runStatsQuery(prompt, span))
  const versions = useInfiniteQuery(versionsQuery(prompt.id))
  const markedVersions = versions.data?.pages.flatMap((page) => page.data) ?? none
  const hoverOrFocus = useHoverOrFocus()
  const pausedStats = usePausedValue(stats.data, {
    isPaused: hoverOrFocus.isHoveredOrFocused,
    scope: `${JSON.stringify(span)} ${stats.data === undefined || stats.isPlaceholderData}`,
  }).shown
  const isTable = search.view === 'table'
  const toggle = (): void => setSearch({ view: isTable ? undefined : 'table' }, { replace: true })
  useKeys([{ keys: 't', label: t('prompt:runs.table_key'), run: toggle }])
  const isZoomed = isCustom(span)
  const data = stats.data?.stats
  return (
    <Section
      title={t('prompt:runs.title')}
      aside={
        <span className={styles['tools']}>
          {pausedStats !== undefined && <ZoneNote stats={pausedStats.stats} />}
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            leftSection={isTable ? <IconChartBar size={14} /> : <IconTable size={14} />}
            aria-keyshortcuts="t"
            onClick={toggle}
          >
            {t(isTable ? 'prompt:runs.charts' : 'prompt:runs.table')}
          </Button>
          <SegmentedControl
            size="xs"
            value={isZoomed ? zoomed : (search.period ?? runChartPeriods[0])}
            onChange={(next) => {
              const period = runChartPeriods.find((name) => name === next)
              if (period !== undefined) setSearch({ period, since: undefined, until: undefined })
            }}
            aria-label={t('prompt:runs.period')}
            data={[
              ...runChartPeriods.map((name) => ({ value: name, label: t(`common:period.${name}`) })),
              ...(isZoomed ? [{ value: zoomed, label: t('prompt:runs.zoomed') }] : []),
            ]}
          />
        </span>
      }
    >
      {data === undefined || pausedStats === undefined ? (
        <QueryPending query={stats} height={300} />
      ) : (
        <div data-testid="run-trends" {...hoverOrFocus.handlers}>
          <Figures stats={data} />
          <RunChart
            prompt={prompt}
            stats={pausedStats}
            versions={markedVersions}
            isTable={isTable}
            onZoom={(since, until) => setSearch({ period: undefined, since, until })}
          />
        </div>
      )}
      {versions.hasNextPage && (
        <p className="note">{t('prompt:runs.some_marked', { shown: formatNumber(markedVersions.length) })}</p>
      )}
      {stats.data !== undefined && stats.data.unknownEnv > 0 && (
        <UnknownEnv prompt={prompt} count={stats.data.unknownEnv} range={stats.data.requestedRange} />
      )}
    </Section>
  )
}

/** The figures of the whole period. */
function Figures({ stats }: { readonly stats: RunStats }) {
  const { total, ok, exact } = stats
  const percentiles = [
    ['p95', stats.p95_latency_ms],
    ['p99', stats.p99_latency_ms],
    ['ttft', stats.p95_ttft_ms],
  ] as const
  return (
    <p className={styles['figures']}>
      <span>{t('prompt:impact.runs_count', { count: total, shown: formatNumber(total) })}</span>
      {total > 0 && <span>{t('prompt:runs.ok', { share: formatPercent(ok / total) })}</span>}
      {percentiles.map(
        ([key, value]) =>
          value !== null && (
            <span key={key} title={percentileHint(exact)}>
              {t(`prompt:runs.${key}`, { time: formatPercentile(value, exact) })}
            </span>
          ),
      )}
    </p>
  )
}

type UnknownEnvProps = { readonly prompt: Prompt; readonly count: number; readonly range: Range }

/** The number of runs that the figures leave out, with a link to them. */
function UnknownEnv({ prompt: { key, workspace_id: workspace }, count, range }: UnknownEnvProps) {
  return (
    <p className="note">
      {t('prompt:runs.unknown_env', { count, shown: formatNumber(count) })}{' '}
      <Link
        to="/runs/{-$id}"
        params={{ id: undefined }}
        search={{ ref_key: [key], workspace, has_no: ['env'], ...range }}
      >
        {t('prompt:runs.show_unknown_env')}
      </Link>
    </p>
  )
}
