import { useQuery } from '@tanstack/react-query'
import type { Prompt } from '../../../../contract/prompt.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { Bars } from '../../../ui/display/Bars.tsx'
import { LinkButton } from '../../../ui/display/LinkButton.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { EnvBadges } from '../list/EnvBadges.tsx'
import type { PromptSearch } from '../list/prompts.search.ts'
import styles from '../page/prompt.module.css'
import { impactQuery } from '../prompts.queries.ts'
import { LatestRuns } from './LatestRuns.tsx'
import { RunTrends } from './RunTrends.tsx'

/** Number of versions listed; the run log has the rest. */
const maxVersions = 6

type Props = {
  readonly prompt: Prompt
  readonly search: PromptSearch
  readonly setSearch: SetSearch<PromptSearch>
}

/** The runs of a prompt: figures over time, by version, and the latest runs. */
export function RunsTab({ prompt, search, setSearch }: Props) {
  const impact = useQuery(impactQuery(prompt.id)).data
  const scope = { ref_key: [prompt.key], workspace: prompt.workspace_id }
  return (
    <div className={styles['stack']}>
      <RunTrends
        prompt={prompt}
        search={search}
        setSearch={setSearch}
        note={
          impact !== undefined &&
          impact.runs.other_envs.length > 0 && (
            <p className={styles['note']}>
              {tNode('prompt:impact.other_envs', {
                envs: <EnvBadges envs={impact.runs.other_envs} />,
              })}
            </p>
          )
        }
      />
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
