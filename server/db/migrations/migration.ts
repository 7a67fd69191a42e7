/**
 * One numbered change of the schema. `statements` run in one transaction. They must not change after a
 * release.
 */
export type Migration = {
  readonly version: number
  readonly name: string
  readonly statements: readonly string[]
}
