import { useInfiniteQuery } from '@tanstack/react-query'
import { t } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { useDialogState } from '../../../lib/state/useDraft.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { ComparedSides } from '../../resources/versions/ComparedSides.tsx'
import type { SidesPatch } from '../../resources/versions/sides.ts'
import styles from '../../resources/versions/timeline.module.css'
import { type Definition, type Kind, versionsQuery } from '../definition.ts'
import { RollbackDialog } from './RollbackDialog.tsx'
import { Timeline } from './Timeline.tsx'
import { VersionDiff } from './VersionDiff.tsx'

type Props = {
  readonly kind: Kind
  readonly definition: Definition
  readonly search: SidesPatch
  readonly setSearch: SetSearch<SidesPatch>
  /**
   * True if there are unsaved changes. Rolling back is then disabled, because the result would be unclear.
   */
  readonly isDirty: boolean
}

/** Versions of an agent or workflow, with a comparison of any two. Any older one can be rolled back to. */
export function VersionsTab({ kind, definition, search, setSearch, isDirty }: Props) {
  const query = useInfiniteQuery(versionsQuery(kind, definition.id))
  const [rollingBack, setRollingBack] = useDialogState<string>(`rollback.${definition.id}`)
  const versions = query.data?.pages.flatMap((page) => page.data) ?? []
  const to = search.to ?? definition.version
  const before = versions[versions.findIndex(({ version }) => version === to) + 1]?.version
  const from = search.from ?? before ?? to
  const sides = { from, to }
  const compare = (patch: SidesPatch): void => setSearch({ ...sides, ...patch }, { replace: true })
  const choices = [...new Set([from, to, ...versions.map(({ version }) => version)])]
  if (query.error !== null && versions.length === 0)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  return (
    <div className={styles['split']}>
      <Section title={t('definition:versions.title')}>
        <Timeline
          query={query}
          versions={versions}
          sides={sides}
          rollbackDisabledReason={isDirty ? t('definition:rollback.unsaved') : null}
          onCompare={compare}
          onRollBack={setRollingBack}
        />
      </Section>
      <Section
        title={t('definition:versions.compare')}
        aside={
          <ComparedSides
            texts="definition"
            sides={sides}
            choices={{ from: choices, to: choices }}
            onCompare={compare}
          />
        }
      >
        <VersionDiff kind={kind} id={definition.id} from={from} to={to} />
      </Section>
      {rollingBack !== null && (
        <RollbackDialog
          kind={kind}
          definition={definition}
          version={rollingBack}
          onClose={() => setRollingBack(null)}
        />
      )}
    </div>
  )
}
