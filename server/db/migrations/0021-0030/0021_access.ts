import type { Migration } from '../migration.ts'

/** Access of users and API tokens to workspaces. */
export const access: Migration = { version: 21, name: 'access', statements: [] }
