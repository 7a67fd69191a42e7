import { z } from 'zod'
import { alertKinds } from '../../../contract/alerts/alert.ts'
import { alertEventTypes } from '../../../contract/alerts/alert-events.ts'
import { periodSearch } from '../../lib/format/period.ts'
import { listSearch, manyOf, textListParam, textParam } from '../../lib/page/search.ts'

export const alertsSearch = z.object({ ...listSearch, workspace: textParam(), kind: manyOf(alertKinds) })
export type AlertsSearch = z.output<typeof alertsSearch>

export const alertHistorySearch = z.object({
  cursor: textParam(),
  ...periodSearch,
  workspace: textParam(),
  alert: textListParam(),
  type: manyOf(alertEventTypes),
})
export type AlertHistorySearch = z.output<typeof alertHistorySearch>
