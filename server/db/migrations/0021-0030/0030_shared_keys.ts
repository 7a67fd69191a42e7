import { type Migration, onlyPostgres } from '../migration.ts'

/** PostgreSQL: the keys that every instance of a service needs. */
export const sharedKeys: Migration = {
  version: 30,
  name: 'shared_keys',
  statements: onlyPostgres([
    // `sealed`: the lines of the key file, encrypted under KEYS_SECRET; null if the instances have it elsewhere.
    `CREATE TABLE shared_keys (
      name text COLLATE "C" PRIMARY KEY,
      fingerprint text COLLATE "C" NOT NULL,
      sealed text COLLATE "C"
    )`,
  ]),
}
