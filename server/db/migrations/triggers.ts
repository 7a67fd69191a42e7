import type { Statement } from './migration.ts'

/** Returns the statements of a trigger of PostgreSQL, whose body is a function, after a change of a row. */
export const afterTrigger = (trigger: {
  readonly name: string
  /** Such as `INSERT ON runs`. */
  readonly event: string
  readonly when?: string
  readonly body: string
}): readonly string[] => [
  `CREATE FUNCTION ${trigger.name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN ${trigger.body} RETURN NULL; END $$`,
  `CREATE TRIGGER ${trigger.name} AFTER ${trigger.event} FOR EACH ROW
    ${trigger.when === undefined ? '' : `WHEN (${trigger.when})`} EXECUTE FUNCTION ${trigger.name}()`,
]

/** Returns the statements of a trigger that refuses updates of a table with versions. */
export const versionsNeverChange = (table: string): Statement => ({
  sqlite: `CREATE TRIGGER ${table}_never_change BEFORE UPDATE ON ${table}
      BEGIN SELECT RAISE(ABORT, 'a version never changes'); END`,
  postgres: [
    `CREATE FUNCTION ${table}_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'a version never changes'; END $$`,
    `CREATE TRIGGER ${table}_never_change BEFORE UPDATE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION ${table}_never_change()`,
  ],
})
