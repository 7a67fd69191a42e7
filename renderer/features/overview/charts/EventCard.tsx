import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../../../../contract/system/audit.ts'
import { t } from '../../../lib/i18n.ts'
import type { MarkerGroup } from '../../../ui/chart/chart.ts'
import {
  MarkerCard,
  MarkerText,
  markerLine,
  markerMore,
  maxLines,
} from '../../../ui/chart/markers/MarkerCard.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { eventLink } from './eventLink.ts'
import { kindOf, markedActions } from './events.ts'

type Props = {
  readonly group: MarkerGroup
  /** The interval as text, such as "Nov 21, 09:00–10:00". */
  readonly span: string
  readonly entries: ReadonlyMap<string, AuditEntry>
}

/**
 * A list of the events of one marker. A version links to its comparison, any other event to its audit
 * entry.
 */
export function EventCard({ group, span, entries }: Props) {
  const shown = group.markers.slice(0, maxLines).flatMap(({ id }) => entries.get(id) ?? [])
  const rest = group.markers.length - shown.length
  return (
    <MarkerCard
      title={t('overview:event.title', { count: group.markers.length, span })}
      rest={
        rest > 0 && (
          <Link
            className={markerMore}
            to="/audit/{-$id}"
            params={{ id: undefined }}
            search={{
              workspace: undefined,
              from: group.from,
              to: group.to,
              action: [...markedActions.people, ...markedActions.prompts],
            }}
          >
            {t('overview:event.rest', { count: rest })}
          </Link>
        )
      }
    >
      {shown.map((entry) => (
        <li key={entry.id}>
          <Link {...eventLink(entry)} className={markerLine}>
            <MarkerText
              kind={kindOf(entry)}
              summary={entry.summary}
              facts={
                <>
                  {t(`overview:event.${entry.action === 'promote' ? 'promote' : kindOf(entry)}`)} ·{' '}
                  <bdi>{entry.actor}</bdi> · <Time at={entry.created_at} />
                </>
              }
            />
          </Link>
        </li>
      ))}
    </MarkerCard>
  )
}
