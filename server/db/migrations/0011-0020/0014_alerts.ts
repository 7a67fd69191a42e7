import type { Migration } from '../migration.ts'

/** Alerts, their state, their history and the deliveries to webhooks. */
export const alerts: Migration = {
  version: 14,
  name: 'alerts',
  statements: [
    // No foreign key: an alert remains when its workspace is deleted, and then states that as its reason.
    `CREATE TABLE alerts (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      name_folded TEXT NOT NULL,
      kind TEXT NOT NULL,
      statistic TEXT,
      workspace_id TEXT,
      filters TEXT NOT NULL,
      period_minutes INTEGER NOT NULL,
      threshold REAL NOT NULL,
      min_runs INTEGER NOT NULL,
      enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
      desktop INTEGER NOT NULL CHECK (desktop IN (0, 1)),
      webhook_url TEXT,
      webhook_local INTEGER NOT NULL DEFAULT 0 CHECK (webhook_local IN (0, 1)),
      webhook_secret TEXT,
      webhook_secret_set_at INTEGER,
      webhook_previous_secret TEXT,
      webhook_previous_until INTEGER,
      created_by TEXT NOT NULL,
      updated_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX alerts_name ON alerts (name_folded, id)`,
    `CREATE INDEX alerts_created ON alerts (created_at, id)`,
    `CREATE TABLE alert_states (
      alert_id TEXT PRIMARY KEY,
      status TEXT NOT NULL CHECK (status IN ('ok', 'firing', 'no_data')),
      since INTEGER NOT NULL,
      clear_since INTEGER,
      has_seen_runs INTEGER NOT NULL CHECK (has_seen_runs IN (0, 1))
    ) STRICT, WITHOUT ROWID`,
    // An event keeps what it shows, because its alert may change or be deleted.
    `CREATE TABLE alert_events (
      id TEXT PRIMARY KEY,
      type TEXT NOT NULL CHECK (type IN ('firing', 'resolved')),
      alert_id TEXT NOT NULL,
      alert_name TEXT NOT NULL,
      kind TEXT NOT NULL,
      statistic TEXT,
      workspace_id TEXT,
      period_minutes INTEGER NOT NULL,
      value REAL,
      threshold REAL NOT NULL,
      resolution TEXT,
      link TEXT NOT NULL,
      desktop INTEGER NOT NULL CHECK (desktop IN (0, 1)),
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX alert_events_created ON alert_events (created_at, id)`,
    `CREATE INDEX alert_events_alert ON alert_events (alert_id, created_at, id)`,
    `CREATE TABLE alert_deliveries (
      event_id TEXT PRIMARY KEY,
      alert_id TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
      body TEXT NOT NULL,
      attempts TEXT NOT NULL,
      next_attempt_at INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX alert_deliveries_due ON alert_deliveries (next_attempt_at) WHERE next_attempt_at IS NOT NULL`,
    `CREATE INDEX alert_deliveries_alert ON alert_deliveries (alert_id)`,
  ],
}
