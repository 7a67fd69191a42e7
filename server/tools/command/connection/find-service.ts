import { join, resolve } from 'node:path'
import { newLocalToken } from '../../../auth/tokens/local-tokens.ts'
import { ConfigError, readConfig } from '../../../config.ts'
import { findOwner } from '../../../db/engines/sqljs/lock/owner.ts'
import { readFile } from '../../../disk/promises.ts'
import { messageOf } from '../../../lib/text/message-of.ts'
import type { CommandContext } from '../io/command-context.ts'
import { Failure, UsageError } from '../io/failure.ts'
import { readServers, requireServer, type StoredServer } from '../servers/servers-file.ts'
import type { Service } from './service.ts'

/** Options of every command that uses a service. */
export type ServiceOptions = {
  readonly url?: string
  readonly ca?: string
  readonly token?: string
  readonly server?: string
  readonly data?: string
}

type Given = { readonly token: string | undefined; readonly ca: string | undefined }

/**
 * Returns the service to use: a given address or stored server, else the server chosen with `servers use`, else
 * the service of the data folder, else the only stored server. Throws a `Failure` if there is none.
 */
export async function findService(options: ServiceOptions, context: CommandContext): Promise<Service> {
  const { env } = context
  const variable = (name: string) => env[name] || undefined
  const named = options.server ?? variable('PROMPTDECK_SERVER')
  const isAddress = options.server === undefined && named?.includes('://') === true
  const url = options.url ?? (options.server === undefined ? variable('PROMPTDECK_URL') : undefined)
  const address = url ?? (isAddress ? named : undefined)
  const given = givenOf(options, context)
  if (address !== undefined) return atAddress(address, given)
  const stored = await readServers(context)
  if (named !== undefined) return atServer(requireServer(stored, named), given)
  if (options.data === undefined && stored.current !== null)
    return atServer(requireServer(stored, stored.current), given)
  const local = await localService(options, context, given)
  if (local !== null) return local
  const [only, ...others] = stored.servers
  // A token without an address is for this machine.
  if (only !== undefined && others.length === 0 && options.data === undefined && given.token === undefined)
    return atServer(only, given)
  throw notFound(dataFolder(options, context), stored.servers)
}

/** Returns the running service of the data folder. Throws a `Failure` if there is none. */
export async function requireLocalService(
  options: ServiceOptions,
  context: CommandContext,
): Promise<Service> {
  const local = await localService(options, context, givenOf(options, context))
  if (local === null) throw notFound(dataFolder(options, context), [])
  return local
}

const givenOf = ({ token, ca }: ServiceOptions, { env }: Pick<CommandContext, 'env'>): Given => ({
  token: token ?? (env['PROMPTDECK_TOKEN'] || undefined),
  ca: ca ?? (env['PROMPTDECK_CA'] || undefined),
})

function notFound(folder: string, servers: readonly StoredServer[]): Failure {
  const names = servers.map(({ name }) => name).join(', ')
  return new Failure(
    'No service was found',
    `No running service of this user uses the data folder ${folder}`,
    servers.length > 0
      ? `Start it with "promptdeck start", or name a stored server with --server (${names})`
      : 'Start it with "promptdeck start", or pair with another one: "promptdeck pair <address>"',
  )
}

async function atAddress(address: string, given: Given): Promise<Service> {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new UsageError(`The address must be a URL such as https://desk.local:4743, not "${address}".`)
  const { origin, protocol, pathname } = new URL(address)
  if (given.ca !== undefined && protocol !== 'https:')
    throw new UsageError('A CA is set, but the address is not https. Use https, or remove --ca.')
  const ca = given.ca === undefined ? null : await readCa(given.ca)
  const basePath = pathname.replace(/\/+$/, '')
  return { origin, basePath, via: 'address', name: null, ca, token: () => given.token ?? null }
}

const atServer = async (server: StoredServer, given: Given): Promise<Service> => ({
  origin: server.address,
  via: 'stored',
  name: server.name,
  ca: given.ca === undefined ? server.ca : await readCa(given.ca),
  token: () => given.token ?? server.token,
})

/** Returns the running service of the data folder. Without a token, possession of the folder gives admin rights. */
async function localService(
  options: ServiceOptions,
  context: CommandContext,
  given: Given,
): Promise<Service | null> {
  const owner = await findOwner(join(dataFolder(options, context), 'store'))
  if (owner === null) return null
  const { url, localKey } = owner
  if (url === null)
    throw new Failure(
      'The service cannot answer yet',
      `Process ${owner.pid} uses the data folder and is starting or stopping`,
      'Run the command again in a moment',
    )
  const token = () => given.token ?? newLocalToken(localKey, context.now())
  return { origin: new URL(url).origin, via: 'local', name: null, ca: null, token }
}

/** Returns the data folder of `--data`, else of `DATA_DIR`. */
export function dataFolder({ data }: ServiceOptions, { env }: Pick<CommandContext, 'env'>): string {
  // An unset variable of a script must not choose another folder.
  if (data === '') throw new UsageError('--data must name a folder.')
  if (data !== undefined) return resolve(data)
  try {
    return resolve(readConfig(env).dataDir)
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message)
    throw error
  }
}

/** Returns CA certificates as PEM text, given as text or as a path. */
async function readCa(textOrPath: string): Promise<string> {
  const beginning = '-----BEGIN CERTIFICATE-----'
  if (textOrPath.includes(beginning)) return textOrPath
  let text: string
  try {
    text = await readFile(textOrPath, 'utf8')
  } catch (error) {
    throw new UsageError(`The CA certificate cannot be read: ${messageOf(error)}.`)
  }
  if (!text.includes(beginning)) throw new UsageError(`${textOrPath} contains no certificate in PEM format.`)
  return text
}
