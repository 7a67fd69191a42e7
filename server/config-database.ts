import { z } from 'zod'
import type { PartitionUnit } from './db/dialect/partitions.ts'

/** The database in place of the data folder's store. */
export type DatabaseConfig = {
  /** Contains the password. */
  readonly url: string
  /** Maximum number of connections of this process. */
  readonly poolSize: number
  /** Size of new partitions of the run log. */
  readonly partitionBy: PartitionUnit
}

const expected = 'expected postgres://<user>:<password>@<host>/<database>'

const partitionUnit = z.enum(['day', 'month']).default('month')

/** Returns the size of new partitions of the run log, for tools that connect to a database of their own. */
export const partitionUnitOf = (env: Readonly<Record<string, string | undefined>>): PartitionUnit =>
  partitionUnit.parse(env['RUN_PARTITIONS'] || undefined)

/** The environment variables of the database. */
export const databaseVariables = {
  // The value is in no message, because it may contain a password.
  DATABASE_URL: z
    .string()
    .refine((text) => URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol), expected)
    .optional(),
  DATABASE_CONNECTIONS: z
    .string()
    .regex(/^\d+$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.number().min(2).max(500))
    .default(10),
  RUN_PARTITIONS: partitionUnit,
}

/** Returns the settings of the database; null: the store is in the data folder. */
export const databaseConfigOf = (values: {
  readonly DATABASE_URL?: string | undefined
  readonly DATABASE_CONNECTIONS: number
  readonly RUN_PARTITIONS: DatabaseConfig['partitionBy']
}): DatabaseConfig | null =>
  values.DATABASE_URL === undefined
    ? null
    : {
        url: values.DATABASE_URL,
        poolSize: values.DATABASE_CONNECTIONS,
        partitionBy: values.RUN_PARTITIONS,
      }
