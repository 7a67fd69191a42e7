import { Link } from '@tanstack/react-router'
import type { PromptVersion } from '../../../../contract/prompts/prompt-versions.ts'
import { t } from '../../../lib/i18n.ts'
import { diffOf } from '../../../shared/releases/releases.ts'
import type { MarkerGroup } from '../../../ui/chart/chart.ts'
import {
  MarkerCard,
  MarkerText,
  markerLine,
  markerMore,
  maxLines,
} from '../../../ui/chart/markers/MarkerCard.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { versionSummary } from '../runs/runChart.ts'

type Props = {
  readonly id: string
  readonly group: MarkerGroup
  /** The interval as text, such as "Nov 21, 09:00–10:00". */
  readonly span: string
  readonly versions: readonly PromptVersion[]
}

/** A list of the versions of one marker; each links to its comparison. */
export function VersionCard({ id, group, span, versions }: Props) {
  const shown = group.markers
    .slice(0, maxLines)
    .flatMap((marker) => versions.find(({ version }) => version === marker.id) ?? [])
  const rest = group.markers.length - shown.length
  return (
    <MarkerCard
      title={t('prompt:runs.marks', { count: group.markers.length, span })}
      rest={
        rest > 0 && (
          <Link className={markerMore} to="/prompts/$id" params={{ id }} search={{ tab: 'versions' }}>
            {t('prompt:runs.marks_rest', { count: rest })}
          </Link>
        )
      }
    >
      {shown.map((version) => (
        <li key={version.version}>
          <Link to="/prompts/$id" params={{ id }} search={diffOf(version.version)} className={markerLine}>
            <MarkerText
              kind={version.kind === 'rollback' ? 'rollback' : 'publish'}
              summary={versionSummary(version)}
              facts={<Time at={version.created_at} />}
            />
          </Link>
        </li>
      ))}
    </MarkerCard>
  )
}
