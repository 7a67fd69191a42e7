import type { AuditAction, AuditEntry } from '../../../contract/audit.ts'
import type { Marker, MarkerKind } from '../../ui/chart/chart.ts'

/** What the charts mark, because it may explain a bend in them. */
export const markedActions = {
  people: ['role_change', 'login_failed'],
  prompts: ['publish', 'rollback'],
} as const satisfies Readonly<Record<string, readonly AuditAction[]>>

/** What can turn a course for the worse: all that people change, without their coming and going. */
const changes: AuditAction[] = [
  'create',
  'update',
  'delete',
  'publish',
  'rollback',
  'promote',
  'role_change',
  'setting_change',
  'restore',
]
/** How far back "before" goes, ms. */
const beforeMs = 86_400_000

/** The audit entries to read when a bucket went bad: what changed in it and in the day before it, newest first. */
export const changesBefore = ({ from, to }: { readonly from: string; readonly to: string }) => ({
  from: new Date(Date.parse(from) - beforeMs).toISOString(),
  to,
  action: changes,
})

const kinds: Partial<Record<AuditAction, MarkerKind>> = {
  publish: 'publish',
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
