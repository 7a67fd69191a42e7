import type { Agent } from '../../../../contract/agents/agent.ts'
import { t } from '../../../lib/i18n.ts'
import { LatestRuns } from '../../../shared/runs/LatestRuns.tsx'
import { RunLogLink } from '../../../shared/runs/RunLogLink.tsx'
import { RunsTable } from '../../../shared/runs/RunsTable.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { Section } from '../../../ui/page/Section.tsx'

const source = 'agent'
const maxRuns = 30

/** The newest runs of an agent; each opens its details. */
export function RunsTab({ agent: { key, workspace_id: workspace } }: { readonly agent: Agent }) {
  const search = { ref_key: [key], source: [source], workspace, period: 'all' as const }
  const title = t('definition:runs.title')
  return (
    <LatestRuns
      filters={{ ref_key: key, source, workspace }}
      limit={maxRuns}
      empty={<EmptyState title={t('definition:runs.none')} text={t('definition:runs.none_text')} />}
    >
      {(runs) => (
        <Section title={title} aside={<RunLogLink search={search} label={t('definition:runs.all')} />}>
          <RunsTable runs={runs} label={title} search={search} hasUser />
        </Section>
      )}
    </LatestRuns>
  )
}
