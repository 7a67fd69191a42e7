import { invalid } from './errors.ts'

export type Env = Readonly<Record<string, string | undefined>>

export type TargetOptions = {
  /**
   * Address of the service; else `PROMPTDECK_URL`, else in Node a server that `promptdeck pair` stored, else
   * `http://127.0.0.1:4780`.
   */
  readonly server?: string | undefined
  /** The access token; else `PROMPTDECK_TOKEN`. */
  readonly token?: string | undefined
  /**
   * CA certificate that issued the service's certificate, as PEM text or as the path of a PEM file; else
   * `PROMPTDECK_CA`, else those of the system. No other CA is trusted then. Not available in browsers.
   */
  readonly ca?: string | undefined
}

/** A server in the file that `promptdeck pair` writes. */
export type StoredServer = { readonly address: string; readonly token: string; readonly ca: string }

/** The files that a client reads to find its service. */
export type TargetFiles = {
  /**
   * Returns CA certificates as PEM text, given as text or as a path.
   * @throws PromptdeckError `Invalid`
   */
  readCa(textOrPath: string): string
  /**
   * Returns the stored server of that name; for null the chosen or only one, or null if there is none.
   * @throws PromptdeckError `Invalid` if there is no server of that name, or the file is damaged.
   */
  storedServer(name: string | null, env: Env): StoredServer | null
}

/** The service to connect to, and the means to do so. */
export type Target = {
  /** Without a trailing slash. */
  readonly server: string
  readonly token: string | null
  /** The only trusted CA certificates as PEM text; null for those of the system. */
  readonly ca: string | null
}

const defaultServer = 'http://127.0.0.1:4780'

/**
 * Returns the service to connect to: the address in the options or in the environment, else a server that
 * `promptdeck pair` stored, else this machine.
 * @throws PromptdeckError `Invalid`; the message names what to change.
 */
export function readTarget(options: TargetOptions, env: Env, files: TargetFiles): Target {
  const variable = (name: string): string | undefined => (env[name] === '' ? undefined : env[name])
  const token = options.token ?? variable('PROMPTDECK_TOKEN')
  const ca = options.ca ?? variable('PROMPTDECK_CA')
  const named = variable('PROMPTDECK_SERVER')
  const address = options.server ?? variable('PROMPTDECK_URL') ?? (isAddress(named) ? named : undefined)
  // A token or CA without an address is for this machine, unless a stored server is named.
  const isStored = address === undefined && (named !== undefined || (token ?? ca) === undefined)
  const stored = isStored ? files.storedServer(named ?? null, env) : null
  const server = checkAddress(address ?? stored?.address ?? defaultServer)
  const trusted = ca === undefined ? (stored?.ca ?? null) : files.readCa(ca)
  if (trusted !== null && !server.startsWith('https:'))
    throw invalid('ca is set, but the address of the service is not https. Use https, or remove ca.')
  return { server, token: tokenOrNone(token ?? stored?.token), ca: trusted }
}

const tokenOrNone = (token: unknown): string | null => (token === undefined ? null : readToken(token))

const isAddress = (value: string | undefined): boolean => value?.includes('://') === true

function checkAddress(value: unknown): string {
  const requirement = 'server must be a URL such as http://127.0.0.1:4780'
  const text = typeof value === 'string' ? value.trim() : ''
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw invalid(`${requirement}.`)
  const url = new URL(text)
  // Not repeated in the message, because it may be a secret.
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text))
    throw invalid(`${requirement}, without user, query and fragment.`)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Validates a token for use in a header. Trims it, because files end with a line break. */
export function readToken(value: unknown): string {
  const token = typeof value === 'string' ? value.trim() : ''
  // The error for an unsendable header would contain the token.
  if (!/^[\x21-\x7e]+$/.test(token)) throw invalid('token must be a string of visible ASCII characters.')
  return token
}
