import type { Migration } from '../migration.ts'

/** Providers that an admin adds. They have a label; built-in providers have none. */
export const addedProviders: Migration = {
  version: 16,
  name: 'added_providers',
  statements: [`ALTER TABLE providers ADD COLUMN label TEXT`],
}
