import type { AuditAction } from '../../contract/audit.ts'

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
