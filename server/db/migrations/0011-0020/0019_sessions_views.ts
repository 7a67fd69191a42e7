import type { Migration } from '../migration.ts'
import { afterTrigger } from '../triggers.ts'

/** The condition that a row belongs to the session of a deleted run. */
const isSessionOfOld = `session_id = OLD.session_id AND workspace = OLD.workspace`

/**
 * Sums of the runs of each session, and saved views of lists. Triggers keep the sums, so that every way to add
 * or delete runs does.
 */
export const sessionsViews: Migration = {
  version: 19,
  name: 'sessions_views',
  statements: [
    `CREATE TABLE run_sessions (
      session_id TEXT NOT NULL,
      workspace INTEGER NOT NULL,
      first_at INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      errors INTEGER NOT NULL,
      total_tokens INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL,
      -- Number of runs with a known cost.
      priced INTEGER NOT NULL,
      PRIMARY KEY (session_id, workspace)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO run_sessions
      SELECT session_id, workspace, min(created_at), max(created_at), count(*), sum(status),
        coalesce(sum(total_tokens), 0), coalesce(sum(cost_nano), 0), count(cost_nano)
      FROM runs WHERE session_id IS NOT NULL GROUP BY session_id, workspace`,
    `CREATE INDEX run_sessions_time ON run_sessions (last_at, session_id, workspace)`,
    `CREATE INDEX run_sessions_workspace ON run_sessions (workspace, last_at, session_id)`,
    {
      sqlite: `CREATE TRIGGER run_sessions_added AFTER INSERT ON runs WHEN NEW.session_id IS NOT NULL BEGIN
      INSERT INTO run_sessions VALUES (NEW.session_id, NEW.workspace, NEW.created_at, NEW.created_at, 1,
        NEW.status, coalesce(NEW.total_tokens, 0), coalesce(NEW.cost_nano, 0), NEW.cost_nano IS NOT NULL)
      ON CONFLICT (session_id, workspace) DO UPDATE SET
        first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at),
        runs = runs + 1, errors = errors + excluded.errors,
        total_tokens = total_tokens + excluded.total_tokens,
        cost_nano = cost_nano + excluded.cost_nano, priced = priced + excluded.priced;
    END`,
      postgres: afterTrigger({
        name: 'run_sessions_added',
        event: 'INSERT ON runs',
        when: 'NEW.session_id IS NOT NULL',
        body: `
          INSERT INTO run_sessions AS s VALUES (NEW.session_id, NEW.workspace, NEW.created_at, NEW.created_at, 1,
            NEW.status, coalesce(NEW.total_tokens, 0), coalesce(NEW.cost_nano, 0), (NEW.cost_nano IS NOT NULL)::int)
          ON CONFLICT (session_id, workspace) DO UPDATE SET
            first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at),
            runs = s.runs + 1, errors = s.errors + excluded.errors,
            total_tokens = s.total_tokens + excluded.total_tokens,
            cost_nano = s.cost_nano + excluded.cost_nano, priced = s.priced + excluded.priced;`,
      }),
    },
    // Retention deletes the oldest runs. The plus signs keep SQLite on the index of the session.
    {
      sqlite: `CREATE TRIGGER run_sessions_deleted AFTER DELETE ON runs WHEN OLD.session_id IS NOT NULL BEGIN
      DELETE FROM run_sessions WHERE ${isSessionOfOld} AND runs = 1;
      UPDATE run_sessions SET
        runs = runs - 1, errors = errors - OLD.status,
        total_tokens = total_tokens - coalesce(OLD.total_tokens, 0),
        cost_nano = cost_nano - coalesce(OLD.cost_nano, 0), priced = priced - (OLD.cost_nano IS NOT NULL),
        first_at = coalesce((SELECT created_at FROM runs
          WHERE session_id = OLD.session_id AND +workspace = OLD.workspace ORDER BY created_at LIMIT 1), first_at)
      WHERE ${isSessionOfOld};
    END`,
      postgres: afterTrigger({
        name: 'run_sessions_deleted',
        event: 'DELETE ON runs',
        when: 'OLD.session_id IS NOT NULL',
        body: `
          DELETE FROM run_sessions WHERE ${isSessionOfOld} AND runs = 1;
          UPDATE run_sessions SET
            runs = runs - 1, errors = errors - OLD.status,
            total_tokens = total_tokens - coalesce(OLD.total_tokens, 0),
            cost_nano = cost_nano - coalesce(OLD.cost_nano, 0),
            priced = priced - (OLD.cost_nano IS NOT NULL)::int,
            first_at = coalesce((SELECT created_at FROM runs AS r
              WHERE r.session_id = OLD.session_id AND r.workspace = OLD.workspace ORDER BY created_at LIMIT 1), first_at)
          WHERE ${isSessionOfOld};`,
      }),
    },
    `CREATE TABLE saved_views (
      id TEXT PRIMARY KEY,
      -- Kind and id of the account, such as user:<id>.
      owner TEXT NOT NULL,
      owner_name TEXT NOT NULL,
      name TEXT NOT NULL,
      name_folded TEXT NOT NULL,
      page TEXT NOT NULL,
      query TEXT NOT NULL,
      columns TEXT,
      -- The workspace with which the view is shared. Null: only its owner sees it.
      workspace_id TEXT REFERENCES workspaces (id) ON DELETE SET NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT`,
    `CREATE INDEX saved_views_owner ON saved_views (owner, name_folded, id)`,
    `CREATE INDEX saved_views_workspace ON saved_views (workspace_id) WHERE workspace_id IS NOT NULL`,
    // Views that a deleted user shared remain, and admins manage them.
    {
      sqlite: `CREATE TRIGGER saved_views_of_users AFTER DELETE ON users BEGIN
      DELETE FROM saved_views WHERE owner = 'user:' || OLD.id AND workspace_id IS NULL;
    END`,
      postgres: afterTrigger({
        name: 'saved_views_of_users',
        event: 'DELETE ON users',
        body: `DELETE FROM saved_views WHERE owner = 'user:' || OLD.id AND workspace_id IS NULL;`,
      }),
    },
  ],
}
