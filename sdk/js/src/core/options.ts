import { maxTimerMs } from '../lib/timers.ts'
import { invalid } from './errors.ts'
import { readMessages, textOfMessages } from './messages.ts'
import { type Env, readTarget, type Target, type TargetFiles, type TargetOptions } from './target.ts'
import type { Fallback, ServedPrompt } from './types.ts'

/** Time limits and intervals in milliseconds. */
export type Timings = {
  /** Time limit of a request, and of any call. */
  readonly requestMs: number
  /** Age at which a prompt in memory is refreshed if there is no live connection. */
  readonly staleMs: number
  /** Time for which a key that was not found is not requested again. */
  readonly negativeMs: number
  /** The first wait after a failure; doubles with each further one. */
  readonly retryMinMs: number
  readonly retryMaxMs: number
  /** The wait after an admin disconnected this client. */
  readonly kickedMs: number
  /** Interval at which prompts are fetched again while there is no live connection. */
  readonly pollMs: number
  /** Time for which reports are collected before they are sent. */
  readonly reportMs: number
}

const defaultTimings: Timings = {
  requestMs: 5_000,
  staleMs: 30_000,
  negativeMs: 30_000,
  retryMinMs: 1_000,
  retryMaxMs: 60_000,
  kickedMs: 60_000,
  pollMs: 30_000,
  reportMs: 1_000,
}

export type ClientOptions = TargetOptions & {
  /** Name of the app in the console; else `PROMPTDECK_APP`. Required. */
  readonly appName?: string | undefined
  /**
   * The environment whose prompts are served: `dev`, `test` or `prod`; else `PROMPTDECK_NAMESPACE`, else
   * `prod`.
   */
  readonly namespace?: string | undefined
  /** ID or slug; by default `default`. */
  readonly workspace?: string | undefined
  /** Folder for copies of prompts; by default the user's cache folder; null for none. Browsers have none. */
  readonly cacheDir?: string | null | undefined
  /** Served if neither the service nor a copy is available. */
  readonly fallbacks?: Readonly<Record<string, Fallback>> | undefined
  readonly timings?: { readonly [Name in keyof Timings]?: number | undefined } | undefined
  /** Replaces the environment variables of the process. */
  readonly env?: Env | undefined
}

/** Validated options. */
export type Settings = Target & {
  readonly appName: string
  readonly namespace: string
  readonly workspace: string
  /** Undefined: the default folder. Null: no cache. */
  readonly cacheDir: string | null | undefined
  readonly fallbacks: ReadonlyMap<string, ServedPrompt>
  readonly timings: Timings
  readonly env: Env
}

/**
 * Validates the options and fills in defaults.
 * @throws PromptdeckError `Invalid`; the message names what to change.
 */
export function readOptions(
  options: ClientOptions,
  { env: processEnv, ...files }: TargetFiles & { readonly env: Env },
): Settings {
  const env = options.env ?? processEnv
  const orEnv = (value: string | undefined, name: string): string | undefined =>
    value ?? (env[name] === '' ? undefined : env[name])
  const appName = orEnv(options.appName, 'PROMPTDECK_APP')
  if (appName === undefined) throw invalid('The app name is missing. Set appName or PROMPTDECK_APP.')
  const namespace = checkText('namespace', orEnv(options.namespace, 'PROMPTDECK_NAMESPACE') ?? 'prod', 64)
  const { cacheDir } = options
  if (cacheDir === '') throw invalid('cacheDir is empty. Set it to a folder, or to null for no disk cache.')
  return {
    ...readTarget(options, env, files),
    appName: checkText('appName', appName, 128),
    namespace,
    workspace: checkText('workspace', options.workspace ?? 'default', 64),
    cacheDir,
    fallbacks: new Map(
      Object.entries(options.fallbacks ?? {}).map(([key, fallback]) => [
        key,
        servedFallback(key, fallback, namespace),
      ]),
    ),
    timings: readTimings(options.timings ?? {}),
    env,
  }
}

function checkText(name: string, value: unknown, maxLength: number): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= maxLength) return value
  throw invalid(`${name} must be a string of 1 to ${maxLength} characters.`)
}

function readTimings(options: NonNullable<ClientOptions['timings']>): Timings {
  const timings: Record<string, number> = { ...defaultTimings }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (!Object.hasOwn(defaultTimings, name)) throw invalid(`Unknown timing: ${name}.`)
    if (!Number.isFinite(value) || value <= 0 || value > maxTimerMs)
      throw invalid(`timings.${name} must be a number of milliseconds greater than 0.`)
    timings[name] = value
  }
  return timings as Timings
}

function servedFallback(key: string, fallback: Fallback, env: string): ServedPrompt {
  const fields: Partial<Omit<ServedPrompt, 'key'>> | null =
    typeof fallback === 'string' ? { content: fallback } : fallback
  const messages = readMessages(fields?.messages)
  if (messages === undefined) throw invalid(`The fallback ${key} has invalid messages.`)
  const content = fields?.content ?? (messages && textOfMessages(messages))
  if (typeof content !== 'string') throw invalid(`The fallback ${key} has no content.`)
  const { version = null, model = null, params = {}, variables = [], etag = null } = fields ?? {}
  const type = messages === null ? 'text' : 'chat'
  return Object.freeze({ key, version, env, model, type, content, messages, params, variables, etag })
}
