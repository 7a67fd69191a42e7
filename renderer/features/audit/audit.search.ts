import { z } from 'zod'
import { auditActions, auditResources, auditSorts } from '../../../contract/system/audit.ts'
import { periodSearch } from '../../lib/format/period.ts'
import { listSearch, manyOf, oneOf, textListParam, textParam } from '../../lib/page/search.ts'

export const auditSearch = z.object({
  ...listSearch,
  ...periodSearch,
  sort: oneOf(auditSorts),
  workspace: textParam(),
  view: textParam(),
  actor: textListParam(),
  action: manyOf(auditActions),
  resource: manyOf(auditResources),
  resource_id: textListParam(),
  key: textListParam(),
})
export type AuditSearch = z.output<typeof auditSearch>
