import type { Migration } from '../migration.ts'

/** Budgets of the gateway, what was used of them, and the time zones in which their days begin. */
export const budgets: Migration = {
  version: 27,
  name: 'budgets',
  statements: [
    `ALTER TABLE api_tokens ADD COLUMN budget TEXT`,
    `ALTER TABLE workspaces ADD COLUMN budget TEXT`,
    `ALTER TABLE workspaces ADD COLUMN time_zone TEXT`,
    `CREATE TABLE budget_usage (
      owner TEXT NOT NULL,
      day TEXT NOT NULL,
      tokens INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL,
      PRIMARY KEY (owner, day)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE budget_minutes (
      owner TEXT PRIMARY KEY,
      minute INTEGER NOT NULL,
      requests INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE budget_notices (
      owner TEXT NOT NULL,
      budget_limit TEXT NOT NULL,
      level TEXT NOT NULL CHECK (level IN ('warned', 'used_up')),
      period TEXT NOT NULL,
      PRIMARY KEY (owner, budget_limit, level, period)
    ) STRICT, WITHOUT ROWID`,
  ],
}
