import { z } from 'zod'
import { auditActions, auditResources, auditSorts } from '../../../contract/system/audit.ts'
import { periodSearch } from '../../lib/format/period.ts'
import { listSearch, many, manyOf, one, oneOf } from '../../lib/page/search.ts'

export const auditSearch = z.object({
  ...listSearch,
  ...periodSearch,
  sort: oneOf(auditSorts),
  workspace: one(),
  actor: many(),
  action: manyOf(auditActions),
  resource: manyOf(auditResources),
  resource_id: many(),
  key: many(),
})
export type AuditSearch = z.output<typeof auditSearch>
