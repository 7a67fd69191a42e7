import type { AuditAction } from '../../../contract/system/audit.ts'

/** Actions that can explain a change in the results: what people change, without sign-ins. */
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
/** Time before a bucket whose changes are included, in milliseconds. */
const lookBackMs = 86_400_000

/**
 * Returns the filter for the audit entries that may explain a bad bucket: changes in it and in the day before
 * it.
 */
export const changesBefore = ({ from, to }: { readonly from: string; readonly to: string }) => ({
  from: new Date(Date.parse(from) - lookBackMs).toISOString(),
  to,
  action: changes,
})
