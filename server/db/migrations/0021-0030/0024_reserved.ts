import type { Migration } from '../migration.ts'

/** Changes nothing. Its number belongs to a change that is merged separately. */
export const reserved: Migration = { version: 24, name: 'reserved', statements: [] }
