import type { Migration } from '../migration.ts'

/** The instance of the service that makes a call or runs an execution, so that another one ends it after a kill. */
export const callInstances: Migration = {
  version: 35,
  name: 'call_instances',
  // Null for what an earlier version began.
  statements: [
    `ALTER TABLE call_intents ADD COLUMN instance_id TEXT`,
    `ALTER TABLE workflow_runs ADD COLUMN instance_id TEXT`,
  ],
}
