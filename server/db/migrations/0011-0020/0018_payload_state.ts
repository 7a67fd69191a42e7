import type { Migration } from '../migration.ts'

/** The reason for which a run has no captured input and output. */
export const payloadState: Migration = {
  version: 18,
  name: 'payload_state',
  statements: [`ALTER TABLE runs ADD COLUMN payload_state INTEGER`],
}
