import type { AuditAction, AuditEntry } from '../../../../contract/system/audit.ts'
import type { Marker, MarkerKind } from '../../../ui/chart/chart.ts'

/** Actions that the charts mark, because they may explain a change in the figures. */
export const markedActions = {
  people: ['role_change', 'login_failed'],
  prompts: ['publish', 'rollback', 'promote'],
} as const satisfies Readonly<Record<string, readonly AuditAction[]>>

const kinds: Partial<Record<AuditAction, MarkerKind>> = {
  publish: 'publish',
  // For clients of the target environment, a promotion is a new version.
  promote: 'publish',
  rollback: 'rollback',
  role_change: 'role',
  login_failed: 'denied',
}

/** Returns the kind of mark for an event; `role` for any other action. */
export const kindOf = ({ action }: AuditEntry): MarkerKind => kinds[action] ?? 'role'

export const markerOf = (entry: AuditEntry): Marker => ({
  id: String(entry.id),
  at: Date.parse(entry.created_at),
  kind: kindOf(entry),
  label: entry.summary,
})
