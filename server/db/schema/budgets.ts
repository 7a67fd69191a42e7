import type { AccessColumn } from './access.ts'

/** The column of API tokens and workspaces with what calls through the gateway may use: JSON, null for no limit. */
type BudgetColumn = { budget: string | null }

/** `time_zone`: the time zone in which days and months of budgets begin; null for UTC. */
export type WorkspaceColumns = BudgetColumn & { time_zone: string | null }

/** `cache_seconds`: the time for which replies of the gateway are cached; null for never. */
export type TokenColumns = AccessColumn & BudgetColumn & { cache_seconds: number | null }

/** An owner of a budget: `all`, `token:<id>` or `workspace:<id>`. */
type OwnerColumn = { owner: string }

export type BudgetTables = {
  budget_usage: BudgetUsageTable
  budget_minutes: BudgetMinutesTable
  budget_notices: BudgetNoticesTable
}

/** The use of a budget on a day. A day has the form `2026-11-25`, in the time zone of the owner. */
export type BudgetUsageTable = OwnerColumn & { day: string; tokens: number; cost_nano: number }

/** The calls of the latest minute with a call. `minute`: minutes since the epoch. */
export type BudgetMinutesTable = OwnerColumn & { minute: number; requests: number }

/** The notices of a day or month, so that each is given once. */
export type BudgetNoticesTable = OwnerColumn & {
  /** Name and value of the limit. */
  budget_limit: string
  level: 'warned' | 'used_up'
  /** A day or a month, in the time zone of the owner. */
  period: string
}
