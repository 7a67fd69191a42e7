import type { AuditAction, AuditEntry } from '../../../contract/audit.ts'
import type { Marker, MarkerKind } from '../../ui/chart/chart.ts'

/** What the charts mark, because it may explain a bend in them. */
export const markedActions = {
  people: ['role_change', 'login_failed'],
  prompts: ['publish', 'rollback', 'promote'],
} as const satisfies Readonly<Record<string, readonly AuditAction[]>>

const kinds: Partial<Record<AuditAction, MarkerKind>> = {
  publish: 'publish',
  // To whoever runs the target it is another version, as a publish is.
  promote: 'publish',
  rollback: 'rollback',
  role_change: 'role',
  login_failed: 'denied',
}

export const kindOf = ({ action }: AuditEntry): MarkerKind => kinds[action] ?? 'role'

export const markerOf = (entry: AuditEntry): Marker => ({
  id: String(entry.id),
  at: Date.parse(entry.created_at),
  kind: kindOf(entry),
  label: entry.summary,
})
