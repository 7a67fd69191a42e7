import { useQuery } from '@tanstack/react-query'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { LatestRuns } from '../../../shared/runs/LatestRuns.tsx'
import { RunLogLink } from '../../../shared/runs/RunLogLink.tsx'
import { RunsTable } from '../../../shared/runs/RunsTable.tsx'
import { Bars } from '../../../ui/display/Bars.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import type { PromptSearch } from '../list/prompts.search.ts'
import styles from '../page/prompt.module.css'
import { impactQuery } from '../prompts.queries.ts'
import { RunTrends } from './RunTrends.tsx'

/** Number of versions listed; the run log has the rest. */
const maxVersions = 6
const maxRuns = 20

type Props = {
  readonly prompt: Prompt
  readonly search: PromptSearch
  readonly setSearch: SetSearch<PromptSearch>
}

/** The runs of a prompt: figures over time, by version, and the latest runs. */
export function RunsTab({ prompt, search, setSearch }: Props) {
  const impact = useQuery(impactQuery(prompt.id)).data
  const { key, workspace_id: workspace, env } = prompt
  const runSearch = { ref_key: [key], workspace, env: [env], period: 'all' as const }
  return (
    <div className={styles['stack']}>
      <RunTrends prompt={prompt} search={search} setSearch={setSearch} />
      {impact !== undefined && impact.runs.by_version.length > 0 && (
        <Section title={t('prompt:runs.by_version')}>
          <div className={styles['narrow']}>
            <Bars
              label={t('prompt:runs.by_version')}
              columns={[t('prompt:clients_tab.version'), t('prompt:runs.count')]}
              bars={impact.runs.by_version.slice(0, maxVersions).map(({ version, count }) => ({
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
        aside={<RunLogLink search={runSearch} label={t('prompt:runs.all')} />}
      >
        <LatestRuns
          filters={{ ref_key: key, workspace, env }}
          limit={maxRuns}
          empty={
            <EmptyState
              title={t('prompt:runs.none')}
              text={tNode('prompt:runs.none_text', { key: <span className="mono">{key}</span> })}
            />
          }
        >
          {(runs) => <RunsTable runs={runs} label={t('prompt:runs.latest')} search={runSearch} />}
        </LatestRuns>
      </Section>
    </div>
  )
}
