import { z } from 'zod'
import type { PartitionUnit } from './db/types.ts'

/** The PostgreSQL database that is used instead of the store in the data folder. */
export type DatabaseConfig = {
  /** Contains the password. */
  readonly url: string
  /** Maximum number of connections of this process. */
  readonly poolSize: number
  /** Size of new partitions of the run log. */
  readonly partitionBy: PartitionUnit
  /** The folder of the keys that all instances have, or the secret of those in the database. At most one is set. */
  readonly keysDir: string | null
  readonly keysSecret: string | null
}

const expected = 'expected postgres://<user>:<password>@<host>/<database>'

const partitionUnit = z.enum(['day', 'month']).default('month')

/** Returns the size of new partitions of the run log, for tools that open their own connection to a database. */
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
  KEYS_DIR: z.string().min(1).optional(),
  KEYS_SECRET: z.string().min(32, 'expected at least 32 characters').optional(),
  RUN_PARTITIONS: partitionUnit,
}

/** Returns the settings of the database; null: the store is in the data folder. */
export const databaseConfigOf = (values: {
  readonly DATABASE_URL?: string | undefined
  readonly DATABASE_CONNECTIONS: number
  readonly RUN_PARTITIONS: DatabaseConfig['partitionBy']
  readonly KEYS_DIR?: string | undefined
  readonly KEYS_SECRET?: string | undefined
}): DatabaseConfig | null =>
  values.DATABASE_URL === undefined
    ? null
    : {
        url: values.DATABASE_URL,
        poolSize: values.DATABASE_CONNECTIONS,
        partitionBy: values.RUN_PARTITIONS,
        keysDir: values.KEYS_DIR ?? null,
        keysSecret: values.KEYS_SECRET ?? null,
      }

/** Returns an error line for each variable of keys that cannot be used with the others. */
export function keyFailures(variables: Readonly<Record<string, string | undefined>>): string[] {
  const set = ['KEYS_DIR', 'KEYS_SECRET'].filter((name) => variables[name] !== undefined)
  if (set.length === 2) return ['KEYS_DIR: cannot be combined with KEYS_SECRET; set one of them']
  return variables['DATABASE_URL'] === undefined
    ? set.map((name) => `${name}: only with DATABASE_URL; otherwise the keys are in the data folder`)
    : []
}
