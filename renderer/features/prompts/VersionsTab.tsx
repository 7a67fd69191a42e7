import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Prompt } from '../../../contract/prompt.ts'
import { t } from '../../lib/i18n.ts'
import { versionBefore } from '../../lib/releases.ts'
import type { SetSearch } from '../../lib/search.ts'
import timeline from '../../ui/definition/timeline.module.css'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Section } from '../../ui/Section.tsx'
import { Comparison } from './Comparison.tsx'
import { Promotion } from './Promotion.tsx'
import { versionsQuery } from './prompts.queries.ts'
import type { PromptSearch } from './prompts.search.ts'
import { RollbackDialog } from './RollbackDialog.tsx'
import { Timeline } from './Timeline.tsx'
import styles from './versions.module.css'

type Props = {
  readonly prompt: Prompt
  readonly search: PromptSearch
  readonly setSearch: SetSearch<PromptSearch>
}

/** The history of versions, a comparison of any two states, and the versions of the other environments. */
export function VersionsTab({ prompt, search, setSearch }: Props) {
  const query = useInfiniteQuery(versionsQuery(prompt.id))
  const [rollingBack, setRollingBack] = useState<string | null>(null)
  const versions = query.data?.pages.flatMap((page) => page.data) ?? []
  const newest = versions[0]?.version
  const to = search.to ?? (prompt.has_draft ? 'draft' : (newest ?? 'draft'))
  const from = search.from ?? (to === 'draft' ? 'served' : versionBefore(to))
  const compare = (patch: { from?: string | undefined; to?: string | undefined }): void =>
    setSearch({ from, to, ...patch }, { replace: true })
  return (
    <div className={styles['page']}>
      <Section title={t('prompt:promote.view')}>
        <Promotion prompt={prompt} />
      </Section>
      {query.isSuccess && versions.length === 0 ? (
        <EmptyState title={t('prompt:versions.none')} text={t('prompt:versions.none_text')} />
      ) : (
        <div className={timeline['split']}>
          <Section title={t('prompt:versions.title')}>
            <Timeline
              prompt={prompt}
              query={query}
              versions={versions}
              from={from}
              to={to}
              onCompare={compare}
              onRollBack={setRollingBack}
            />
          </Section>
          <Comparison prompt={prompt} versions={versions} from={from} to={to} onCompare={compare} />
        </div>
      )}
      {rollingBack !== null && (
        <RollbackDialog prompt={prompt} version={rollingBack} onClose={() => setRollingBack(null)} />
      )}
    </div>
  )
}
