import type { Migration, Statement } from '../migration.ts'
import { versionsNeverChange } from '../triggers.ts'

/**
 * Columns of agents and of workflows. `version` is the version that runs; its content is in the table of
 * versions.
 */
const columns = [
  `name_folded TEXT NOT NULL DEFAULT ''`,
  `description TEXT NOT NULL DEFAULT ''`,
  `version INTEGER NOT NULL DEFAULT 1`,
  `revision INTEGER NOT NULL DEFAULT 1`,
  `created_by TEXT NOT NULL DEFAULT 'system'`,
  `updated_by TEXT NOT NULL DEFAULT 'system'`,
]

const definitionStatements = [
  {
    noun: 'agent',
    empty: `{"prompt_key":null,"content":"","env":"prod","provider":"mock","model":null,"params":{},"messages":[],"tools":[],"response_schema":null}`,
  },
  { noun: 'workflow', empty: `{"steps":[],"variables":[]}` },
].flatMap(({ noun, empty }): Statement[] => [
  ...columns.map((column) => `ALTER TABLE ${noun}s ADD COLUMN ${column}`),
  `UPDATE ${noun}s SET name_folded = lower(name)`,
  `CREATE INDEX ${noun}s_key ON ${noun}s (key, id)`,
  `CREATE INDEX ${noun}s_name ON ${noun}s (name_folded, id)`,
  `CREATE INDEX ${noun}s_created ON ${noun}s (created_at, id)`,
  `CREATE INDEX ${noun}s_updated ON ${noun}s (updated_at, id)`,
  // Numbered from 1 without gaps; the newest version runs. `body` is JSON as in the API.
  `CREATE TABLE ${noun}_versions (
    owner_id TEXT NOT NULL REFERENCES ${noun}s (id) ON DELETE CASCADE,
    version INTEGER NOT NULL CHECK (version > 0),
    kind TEXT NOT NULL CHECK (kind IN ('create', 'update', 'rollback', 'import')),
    from_version INTEGER,
    body TEXT NOT NULL,
    message TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, version)
  ) STRICT`,
  `INSERT INTO ${noun}_versions (owner_id, version, kind, body, message, created_by, created_at)
    SELECT id, 1, 'create', '${empty}', '', 'system', created_at FROM ${noun}s`,
  versionsNeverChange(`${noun}_versions`),
  `CREATE TABLE ${noun}_words (
    word TEXT NOT NULL,
    owner_id TEXT NOT NULL REFERENCES ${noun}s (id) ON DELETE CASCADE,
    PRIMARY KEY (word, owner_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX ${noun}_words_owner ON ${noun}_words (owner_id)`,
])

/** Full agents and workflows, and the executions of workflows. */
export const agentsWorkflows: Migration = {
  version: 7,
  name: 'agents_workflows',
  statements: [
    ...definitionStatements,
    `ALTER TABLE agents ADD COLUMN provider TEXT NOT NULL DEFAULT 'mock'`,
    `ALTER TABLE agents ADD COLUMN prompt_key TEXT`,
    // No foreign key: executions remain when their workflow is deleted. Latency in microseconds, cost in
    // nano-dollars, as in runs. `payload_*`: position of the captured variables and input; null without
    // capture.
    `CREATE TABLE workflow_runs (
      id TEXT PRIMARY KEY,
      workflow_id TEXT NOT NULL,
      workflow_key TEXT NOT NULL,
      workspace_id TEXT NOT NULL,
      version INTEGER NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('running', 'ok', 'error', 'cancelled', 'interrupted')),
      error TEXT,
      failed_step TEXT,
      user TEXT NOT NULL,
      user_id TEXT,
      capture TEXT NOT NULL CHECK (capture IN ('off', 'redacted', 'full')),
      step_count INTEGER NOT NULL,
      resumed_from TEXT,
      resumed_step TEXT,
      request_id TEXT,
      created_at INTEGER NOT NULL,
      finished_at INTEGER,
      latency_us INTEGER,
      payload_day INTEGER,
      payload_offset INTEGER,
      payload_length INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX workflow_runs_time ON workflow_runs (created_at, id)`,
    `CREATE INDEX workflow_runs_workflow ON workflow_runs (workflow_id, created_at, id)`,
    `CREATE INDEX workflow_runs_key ON workflow_runs (workflow_key, created_at, id)`,
    `CREATE INDEX workflow_runs_running ON workflow_runs (created_at) WHERE status = 'running'`,
    // The result of each step, written when it ended. `position`: its place in the workflow, depth first.
    `CREATE TABLE workflow_run_steps (
      run_id TEXT NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      parent TEXT,
      branch TEXT,
      status TEXT NOT NULL,
      error TEXT,
      started_at INTEGER,
      latency_us INTEGER,
      attempts INTEGER NOT NULL,
      run_ids TEXT NOT NULL,
      provider TEXT,
      model TEXT,
      prompt_tokens INTEGER,
      output_tokens INTEGER,
      tokens INTEGER,
      tokens_estimated INTEGER NOT NULL CHECK (tokens_estimated IN (0, 1)),
      cost_nano INTEGER,
      taken_over INTEGER NOT NULL CHECK (taken_over IN (0, 1)),
      payload_day INTEGER,
      payload_offset INTEGER,
      payload_length INTEGER,
      PRIMARY KEY (run_id, position)
    ) STRICT, WITHOUT ROWID`,
  ],
}
