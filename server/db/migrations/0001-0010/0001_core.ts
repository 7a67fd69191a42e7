import type { Migration } from '../migration.ts'

/** Accounts, workspaces and settings, the audit log, and the events that live connections replay. */
export const core: Migration = {
  version: 1,
  name: 'core',
  statements: [
    `CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
    `CREATE TABLE users (
      id TEXT PRIMARY KEY,
      username TEXT NOT NULL,
      username_folded TEXT NOT NULL UNIQUE,
      password_hash TEXT NOT NULL,
      password_is_default INTEGER NOT NULL DEFAULT 0 CHECK (password_is_default IN (0, 1)),
      role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'admin')),
      disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
      must_change_password INTEGER NOT NULL DEFAULT 0 CHECK (must_change_password IN (0, 1)),
      last_login_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX users_created ON users (created_at, id)`,
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      ip TEXT NOT NULL,
      user_agent TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX sessions_user ON sessions (user_id, created_at)`,
    `CREATE INDEX sessions_expiry ON sessions (expires_at)`,
    `CREATE TABLE workspaces (
      id TEXT PRIMARY KEY,
      slug TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      name_folded TEXT NOT NULL DEFAULT '',
      description TEXT NOT NULL DEFAULT '',
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX workspaces_created ON workspaces (created_at, id)`,
    `CREATE INDEX workspaces_name ON workspaces (name_folded, id)`,
    `CREATE TABLE prompts (
      id TEXT PRIMARY KEY,
      workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE RESTRICT,
      key TEXT NOT NULL,
      env TEXT NOT NULL CHECK (env IN ('dev', 'test', 'prod')),
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (workspace_id, key, env)
    ) STRICT, WITHOUT ROWID`,
    ...['agents', 'workflows'].map(
      (table) => `CREATE TABLE ${table} (
      id TEXT PRIMARY KEY,
      workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE RESTRICT,
      key TEXT NOT NULL,
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (workspace_id, key)
    ) STRICT, WITHOUT ROWID`,
    ),
    `CREATE TABLE settings (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL,
      updated_at INTEGER NOT NULL,
      updated_by TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE audit (
      id INTEGER PRIMARY KEY,
      created_at INTEGER NOT NULL,
      actor TEXT NOT NULL,
      actor_id TEXT,
      actor_kind TEXT NOT NULL,
      action TEXT NOT NULL,
      resource TEXT NOT NULL,
      resource_id TEXT,
      key TEXT,
      workspace_id TEXT,
      summary TEXT NOT NULL,
      ip TEXT,
      request_id TEXT,
      before TEXT,
      after TEXT,
      prev_hash TEXT NOT NULL,
      hash TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX audit_time ON audit (created_at, id)`,
    `CREATE INDEX audit_actor ON audit (actor, id)`,
    `CREATE INDEX audit_action ON audit (action, id)`,
    `CREATE INDEX audit_resource ON audit (resource, resource_id, id)`,
    `CREATE INDEX audit_resource_id ON audit (resource_id, id)`,
    `CREATE INDEX audit_key ON audit (key, id)`,
    `CREATE INDEX audit_workspace ON audit (workspace_id, id)`,
    `CREATE TABLE events (
      seq INTEGER PRIMARY KEY,
      type TEXT NOT NULL,
      entity TEXT NOT NULL,
      entity_id TEXT,
      workspace_id TEXT,
      namespace TEXT,
      payload TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE idempotency_keys (
      actor TEXT NOT NULL,
      route TEXT NOT NULL,
      key TEXT NOT NULL,
      body_hash TEXT NOT NULL,
      status INTEGER NOT NULL,
      reply TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (actor, route, key)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at)`,
  ],
}
