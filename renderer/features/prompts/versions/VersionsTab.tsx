import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { useDialogState } from '../../../lib/state/useDraft.ts'
import { versionBefore } from '../../../shared/releases/releases.ts'
import type { SidesPatch } from '../../../shared/resources/versions/sides.ts'
import timeline from '../../../shared/resources/versions/timeline.module.css'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { Section } from '../../../ui/page/Section.tsx'
import { Comparison } from '../editor/diff/Comparison.tsx'
import type { PromptSearch } from '../list/prompts.search.ts'
import { versionsQuery } from '../prompts.queries.ts'
import { Promotion } from '../release/Promotion.tsx'
import { RollbackDialog } from '../release/RollbackDialog.tsx'
import { Timeline } from './Timeline.tsx'
import styles from './versions.module.css'

type Props = {
  readonly prompt: Prompt
  readonly search: PromptSearch
  readonly setSearch: SetSearch<PromptSearch>
}

/** Returns the version before the served one; null if there is none. */
function versionToRestore({ version }: Prompt): string | null {
  const earlier = version === null ? 'none' : versionBefore(version)
  return earlier === 'none' ? null : earlier
}

/** The history of versions, a comparison of any two states, and the versions of the other environments. */
export function VersionsTab({ prompt, search, setSearch }: Props) {
  const query = useInfiniteQuery(versionsQuery(prompt.id))
  const isRequested = search.open === 'rollback'
  const [rollingBack, setRollingBack] = useDialogState(
    `rollback.${prompt.id}`,
    isRequested ? versionToRestore(prompt) : null,
  )
  const isImpossible = isRequested && versionToRestore(prompt) === null
  useEffect(() => {
    if (isImpossible) toast(t('prompt:rollback.nothing', { key: prompt.key }))
  }, [isImpossible, prompt.key])
  const versions = query.data?.pages.flatMap((page) => page.data) ?? []
  const newest = versions[0]?.version
  const to = search.to ?? (prompt.has_draft ? 'draft' : (newest ?? 'draft'))
  const from = search.from ?? (to === 'draft' ? 'served' : versionBefore(to))
  const sides = { from, to }
  const compare = (patch: SidesPatch): void => setSearch({ ...sides, ...patch }, { replace: true })
  return (
    <div className={styles['page']}>
      <Section title={t('prompt:promote.view')}>
        <Promotion prompt={prompt} />
      </Section>
      {query.error !== null && versions.length === 0 ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isSuccess && versions.length === 0 ? (
        <EmptyState title={t('prompt:versions.none')} text={t('prompt:versions.none_text')} />
      ) : (
        <div className={timeline['split']}>
          <Section title={t('prompt:versions.title')}>
            <Timeline
              prompt={prompt}
              query={query}
              versions={versions}
              sides={sides}
              onCompare={compare}
              onRollBack={setRollingBack}
            />
          </Section>
          <Comparison prompt={prompt} versions={versions} sides={sides} onCompare={compare} />
        </div>
      )}
      {rollingBack !== null && (
        <RollbackDialog
          prompt={prompt}
          version={rollingBack}
          onClose={() => {
            setRollingBack(null)
            if (isRequested) setSearch({ open: undefined }, { replace: true })
          }}
        />
      )}
    </div>
  )
}
