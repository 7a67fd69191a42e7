import type { Migration } from '../migration.ts'

/** The id of a request at its provider, by which the provider finds it in its own log. */
export const providerRequestId: Migration = {
  version: 36,
  name: 'provider_request_id',
  statements: [`ALTER TABLE runs ADD COLUMN provider_request_id TEXT`],
}
