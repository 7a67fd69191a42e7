import envPaths from 'env-paths'
import { z } from 'zod'
import {
  type DatabaseConfig,
  databaseConfigOf,
  databaseFailures,
  databaseVariables,
} from './config-database.ts'
import { type LanConfig, lanConfigOf, lanVariables, pairFailures } from './config-lan.ts'
import { type FairnessLimits, limitsOf, limitVariables } from './config-limits.ts'
import { type OtelConfig, otelConfigOf, otelFailures, otelVariables } from './config-otel.ts'
import { isHeaderValue, whole } from './config-values.ts'
import { type BasePath, basePathPattern } from './lib/text/base-path.ts'

const flag = z
  .enum(['0', '1', 'false', 'true', ''])
  .default('0')
  .transform((text) => text === '1' || text === 'true')
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
const token = z
  .string()
  .trim()
  .max(1024)
  .refine(
    isHeaderValue,
    'contains a character that an Authorization header cannot have; use letters and digits',
  )
  .default('')
const folder = z
  .string()
  .refine((path) => path === path.trim(), 'begins or ends with a space')
  .refine((path) => !/^~(?:\/|$)/.test(path), 'write the home folder instead of ~, which only shells replace')
const hostName = z.string().regex(/^[^\s/*]+$/, 'expected a name such as prompts.example.com')
// URLs of other schemes have the origin "null", which is also that of sandboxed pages.
const webOrigin = z.url({ protocol: /^https?$/, error: 'expected an origin such as https://app.example.com' })
const ipRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'expected an IP address or a range such as 10.0.0.0/8',
})
const withoutSlash = (path: string) => path.replace(/\/+$/, '')
const pathOf = (url: string) => withoutSlash(new URL(url).pathname)
const isOriginWithPath = (url: string) => new URL(url).href === new URL(new URL(url).pathname, url).href
const isBasePath = (path: string) => path === '' || basePathPattern.test(path)
const expectedPath = 'expected a path of letters, digits, ".", "-" and "_", such as /promptdeck'

/** Every environment variable the service reads. The table in docs/configuration.md has the same list. */
const Variables = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: whole(0, 65_535).default(4780),
  DATA_DIR: folder.default(() => envPaths('promptdeck', { suffix: '' }).data),
  ...databaseVariables,
  SERVICE_TOKEN: token,
  /** An alias of SERVICE_TOKEN, which takes precedence. */
  PROMPTOPS_TOKEN: token,
  LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  TRUSTED_PROXIES: list.pipe(z.array(ipRange)),
  ALLOWED_HOSTS: list.pipe(z.array(hostName)),
  ALLOWED_ORIGINS: list.pipe(z.array(webOrigin)),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, abort: true, error: 'expected a URL such as https://prompts.example.com' })
    .refine(isOriginWithPath, 'expected a URL without user, password, query and fragment')
    .refine((url) => isBasePath(pathOf(url)), expectedPath)
    .optional(),
  BASE_PATH: z.string().transform(withoutSlash).refine(isBasePath, expectedPath).optional(),
  ALLOW_URL_TOKEN: flag,
  ALLOW_INSECURE_LAN: flag,
  RUN_RETENTION_DAYS: whole(1, 3650).optional(),
  MAX_STORE_MB: whole(16, 16_384).default(1024),
  JOURNAL_MB: whole(1, 1024).default(32),
  LOGIN_FAILURES_PER_USER: whole(1, 10_000).default(5),
  LOGIN_FAILURES_PER_ADDRESS: whole(1, 100_000).default(20),
  BACKUPS_KEPT: whole(1, 365).default(7),
  PROVIDER_CHECK_MINUTES: whole(0, 1440).default(5),
  ...lanVariables,
  ...limitVariables,
  ...otelVariables,
})

const Environment = Variables.refine(
  ({ PUBLIC_URL, BASE_PATH }) =>
    PUBLIC_URL === undefined || BASE_PATH === undefined || ['', BASE_PATH].includes(pathOf(PUBLIC_URL)),
  { path: ['BASE_PATH'], message: 'expected the path of PUBLIC_URL' },
).refine(({ GATEWAY_BODY_MB, GATEWAY_BODIES_MB }) => GATEWAY_BODY_MB <= GATEWAY_BODIES_MB, {
  path: ['GATEWAY_BODY_MB'],
  message: 'expected at most GATEWAY_BODIES_MB, the limit of all requests together',
})

export type Config = {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** Null: the store is in the data folder. */
  readonly database: DatabaseConfig | null
  /** Null if neither variable is set: the stored token or the built-in default is then active. */
  readonly serviceToken: string | null
  readonly logLevel: z.infer<typeof Environment>['LOG_LEVEL']
  readonly trustedProxies: readonly string[]
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Origin and base path of the console for others, without a slash at the end; null if nothing is published. */
  readonly publicUrl: string | null
  readonly basePath: BasePath
  readonly allowUrlToken: boolean
  readonly allowInsecureLan: boolean
  /** Null if the value in the settings applies. */
  readonly runRetentionDays: number | null
  readonly maxStoreBytes: number
  /** A snapshot is due when the journal has grown by this many bytes and by an eighth of the database. */
  readonly journalBytes: number
  readonly loginFailuresPerUser: number
  readonly loginFailuresPerAddress: number
  readonly backupsKept: number
  /** Minutes between the checks of a model provider; 0: no background checks. */
  readonly providerCheckMinutes: number
  readonly lan: LanConfig
  readonly limits: FairnessLimits
  /** Null: runs are not sent as telemetry. */
  readonly otel: OtelConfig | null
}

/** An invalid configuration. The message lists every failure for the user. */
export class ConfigError extends Error {}

/** Returns the failures of tokens of spaces: without another one, the built-in token would be active. */
function tokenFailures(values: Readonly<Record<string, string | undefined>>): string[] {
  const given = ['SERVICE_TOKEN', 'PROMPTOPS_TOKEN'].filter((name) => values[name] !== undefined)
  if (given.some((name) => values[name]?.trim() !== '')) return []
  return given.map((name) => `${name}: contains only spaces`)
}

/**
 * Parses the environment. An empty variable counts as unset. Throws one `ConfigError` that lists every
 * failure.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const setVariables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(setVariables)
  const lines = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    ...tokenFailures(setVariables),
    ...pairFailures(setVariables),
    ...otelFailures(setVariables),
    ...databaseFailures(setVariables),
  ]
  if (!parsed.success || lines.length > 0)
    throw new ConfigError(`The configuration is not valid:\n  ${lines.join('\n  ')}`)
  const values = parsed.data
  const published = publishedAt(values)
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir: values.DATA_DIR,
    database: databaseConfigOf(values),
    serviceToken: values.SERVICE_TOKEN || values.PROMPTOPS_TOKEN || null,
    logLevel: values.LOG_LEVEL,
    trustedProxies: values.TRUSTED_PROXIES,
    allowedHosts: values.ALLOWED_HOSTS,
    allowedOrigins: values.ALLOWED_ORIGINS,
    ...published,
    allowUrlToken: values.ALLOW_URL_TOKEN,
    allowInsecureLan: values.ALLOW_INSECURE_LAN,
    runRetentionDays: values.RUN_RETENTION_DAYS ?? null,
    maxStoreBytes: values.MAX_STORE_MB * 1024 * 1024,
    journalBytes: values.JOURNAL_MB * 1024 * 1024,
    loginFailuresPerUser: values.LOGIN_FAILURES_PER_USER,
    loginFailuresPerAddress: values.LOGIN_FAILURES_PER_ADDRESS,
    backupsKept: values.BACKUPS_KEPT,
    providerCheckMinutes: values.PROVIDER_CHECK_MINUTES,
    lan: lanConfigOf(values),
    limits: limitsOf(values),
    otel: otelConfigOf(values),
  }
}

type Published = Pick<z.infer<typeof Environment>, 'PUBLIC_URL' | 'BASE_PATH'>

/** Returns the public address, and the base path: that of PUBLIC_URL unless BASE_PATH is set. */
function publishedAt({ PUBLIC_URL, BASE_PATH }: Published): Pick<Config, 'publicUrl' | 'basePath'> {
  const basePath = BASE_PATH ?? (PUBLIC_URL === undefined ? '' : pathOf(PUBLIC_URL))
  return {
    publicUrl: PUBLIC_URL === undefined ? null : `${new URL(PUBLIC_URL).origin}${basePath}`,
    basePath,
  }
}
