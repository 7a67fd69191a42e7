import { z } from 'zod'
import { whole } from './config-values.ts'
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
  /** The bucket or shared folder of captured inputs and outputs; null: the database. */
  readonly payloadsUrl: string | null
}

const expected =
  'expected postgres://<user>:<password>@<host>/<database>, with special characters percent-encoded, such as %40 for @ in a password'

/** Returns true for a URL of PostgreSQL. Parts of a password that is not encoded may be in other parts of the URL. */
function isDatabaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, pathname, hash } = new URL(text)
  return /^postgres(?:ql)?:$/.test(protocol) && !pathname.includes('@') && hash === ''
}

/** Returns true for the URL of a bucket or of a folder on this machine. */
function isPayloadsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, username, searchParams } = new URL(text)
  if (protocol === 'file:') return hostname === '' && pathname.length > 1
  const options = [...searchParams.keys()]
  const isKnown = options.every((name) => name === 'region' || name === 'endpoint')
  const endpoint = searchParams.get('endpoint')
  const isEndpoint = endpoint === null || /^https?:\/\/./.test(endpoint)
  // Credentials are not part of the URL, because it is logged and displayed more easily than variables for secrets.
  return protocol === 's3:' && hostname !== '' && username === '' && isKnown && isEndpoint
}

const partitionUnit = z.enum(['day', 'month']).default('month')

/** Returns the size of new partitions of the run log, for tools that open their own connection to a database. */
export const partitionUnitOf = (env: Readonly<Record<string, string | undefined>>): PartitionUnit =>
  partitionUnit.parse(env['RUN_PARTITIONS'] || undefined)

/** The environment variables of the database. */
export const databaseVariables = {
  // The value is in no message, because it may contain a password.
  DATABASE_URL: z.string().trim().refine(isDatabaseUrl, expected).optional(),
  DATABASE_CONNECTIONS: whole(2, 500).default(10),
  KEYS_DIR: z.string().min(1).optional(),
  KEYS_SECRET: z
    .string()
    .min(32, 'expected at least 32 characters')
    .refine((text) => text.trim() !== '', 'contains only spaces')
    .optional(),
  RUN_PARTITIONS: partitionUnit,
  PAYLOADS_URL: z
    .string()
    .refine(isPayloadsUrl, 'expected s3://<bucket>/<prefix> or file:///<folder>')
    .optional(),
}

/** Returns the settings of the database; null: the store is in the data folder. */
export const databaseConfigOf = (values: {
  readonly DATABASE_URL?: string | undefined
  readonly DATABASE_CONNECTIONS: number
  readonly RUN_PARTITIONS: DatabaseConfig['partitionBy']
  readonly KEYS_DIR?: string | undefined
  readonly KEYS_SECRET?: string | undefined
  readonly PAYLOADS_URL?: string | undefined
}): DatabaseConfig | null =>
  values.DATABASE_URL === undefined
    ? null
    : {
        url: values.DATABASE_URL,
        poolSize: values.DATABASE_CONNECTIONS,
        partitionBy: values.RUN_PARTITIONS,
        keysDir: values.KEYS_DIR ?? null,
        keysSecret: values.KEYS_SECRET ?? null,
        payloadsUrl: values.PAYLOADS_URL ?? null,
      }

/** Returns an error line for each variable that cannot be used with the others, or needs a database. */
export function databaseFailures(variables: Readonly<Record<string, string | undefined>>): string[] {
  const hasBoth = variables['KEYS_DIR'] !== undefined && variables['KEYS_SECRET'] !== undefined
  if (hasBoth) return ['KEYS_DIR: cannot be combined with KEYS_SECRET; set one of them']
  if (variables['DATABASE_URL'] !== undefined) return []
  const inFolder = { KEYS_DIR: 'the keys', KEYS_SECRET: 'the keys', PAYLOADS_URL: 'captured texts' }
  return Object.entries(inFolder)
    .filter(([name]) => variables[name] !== undefined)
    .map(([name, what]) => `${name}: only with DATABASE_URL; otherwise ${what} are in the data folder`)
}
