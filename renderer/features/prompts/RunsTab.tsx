import { SegmentedControl, Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Prompt } from '../../../contract/prompt.ts'
import { formatDuration, formatNumber, formatPercent } from '../../lib/format.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { Bars } from '../../ui/Bars.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { EnvBadges } from './EnvBadges.tsx'
import { LatestRuns } from './LatestRuns.tsx'
import styles from './prompt.module.css'
import { impactQuery, runStatsQuery, versionsQuery } from './prompts.queries.ts'
import { RunChart } from './RunChart.tsx'

/** The few that count; the rest is in the run log. */
const mostVersions = 6

const periods = ['24h', '7d', '30d'] as const

/** What the models did with this prompt, and where a version came in between. */
export function RunsTab({ prompt }: { readonly prompt: Prompt }) {
  const [period, setPeriod] = useState<(typeof periods)[number]>('24h')
  const stats = useQuery(runStatsQuery(prompt, period))
  const impact = useQuery(impactQuery(prompt.id)).data
  const versions = useInfiniteQuery(versionsQuery(prompt.id)).data?.pages.flatMap((page) => page.data) ?? []
  const scope = { ref_key: [prompt.key], workspace: prompt.workspace_id }
  const data = stats.data
  return (
    <div className={styles['stack']}>
      <Section
        title={t('prompt:runs.title')}
        aside={
          <SegmentedControl
            size="xs"
            value={period}
            onChange={(next) => setPeriod(periods.find((one) => one === next) ?? '24h')}
            aria-label={t('prompt:runs.period')}
            data={periods.map((one) => ({ value: one, label: t(`common:period.${one}`) }))}
          />
        }
      >
        {data === undefined ? (
          stats.error === null ? (
            <Skeleton height={140} />
          ) : (
            <ErrorState error={stats.error} onRetry={() => void stats.refetch()} />
          )
        ) : (
          <>
            <p className={styles['figures']}>
              <span>
                {t('prompt:impact.runs_count', { count: data.total, shown: formatNumber(data.total) })}
              </span>
              {data.total > 0 && (
                <>
                  <span>{t('prompt:runs.ok', { share: formatPercent(data.ok / data.total) })}</span>
                  <span>{t('prompt:runs.p95', { time: formatDuration(data.p95_latency_ms) })}</span>
                </>
              )}
            </p>
            <RunChart prompt={prompt} stats={data} versions={versions} />
          </>
        )}
        {impact !== undefined && impact.runs.other_envs.length > 0 && (
          <p className={styles['note']}>
            {tNode('prompt:impact.other_envs', {
              envs: <EnvBadges envs={impact.runs.other_envs} />,
            })}
          </p>
        )}
      </Section>
      {impact !== undefined && impact.runs.by_version.length > 0 && (
        <Section title={t('prompt:runs.by_version')}>
          <div className={styles['narrow']}>
            <Bars
              label={t('prompt:runs.by_version')}
              columns={[t('prompt:clients_tab.version'), t('prompt:runs.count')]}
              bars={impact.runs.by_version.slice(0, mostVersions).map(({ version, count }) => ({
                key: version ?? '',
                label: version ?? t('prompt:runs.no_version'),
                value: count,
                cells: [formatNumber(count)],
              }))}
              empty={null}
            />
          </div>
        </Section>
      )}
      <Section
        title={t('prompt:runs.latest')}
        aside={
          <LinkButton
            variant="subtle"
            size="compact-xs"
            to="/runs/{-$id}"
            params={{ id: undefined }}
            search={{ ...scope, period: 'all' }}
          >
            {t('prompt:runs.all')}
          </LinkButton>
        }
      >
        <LatestRuns prompt={prompt} />
      </Section>
    </div>
  )
}
