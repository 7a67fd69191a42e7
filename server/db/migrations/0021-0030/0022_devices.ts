import type { Migration } from '../migration.ts'

/** Paired devices. */
export const devices: Migration = { version: 22, name: 'devices', statements: [] }
