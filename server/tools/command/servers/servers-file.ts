import { join } from 'node:path'
import { z } from 'zod'
import { readFile } from '../../../disk/promises.ts'
import { isMissing } from '../../../lib/files/is-missing.ts'
import { makeFolder } from '../../../lib/files/make-folder.ts'
import { replaceFile } from '../../../lib/files/replace-file.ts'
import { messageOf } from '../../../lib/text/message-of.ts'
import { jsonOf } from '../connection/reply.ts'
import type { CommandContext } from '../io/command-context.ts'
import { Failure } from '../io/failure.ts'
import { configFolder } from './config-folder.ts'

const Server = z.object({
  name: z.string().min(1),
  /** Origin, such as `https://desk.local:4743`. */
  address: z.string().min(1),
  /** The only CA that is trusted for this server (PEM). */
  ca: z.string().min(1),
  token: z.string().min(1),
  /** SHA-256 of the CA: upper-case hex pairs with `:` between them. */
  fingerprint: z.string().min(1),
  kind: z.enum(['cli', 'sdk']),
  paired_at: z.string(),
})
export type StoredServer = z.infer<typeof Server>

const Servers = z.object({
  /** Name of the server that commands and SDKs use if none is given. Null: this machine's. */
  current: z.string().nullable(),
  servers: z.array(Server),
})
export type Servers = z.infer<typeof Servers>

/** Name that `promptdeck servers use` has for the service of this machine. */
export const thisMachine = 'local'

type Place = Pick<CommandContext, 'env' | 'platform' | 'home'>

export const serversFile = (place: Place): string => join(configFolder(place), 'servers.json')

/** Reads the stored servers; none if there is no file. */
export async function readServers(place: Place): Promise<Servers> {
  const file = serversFile(place)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return { current: null, servers: [] }
    throw new Failure(
      'The stored servers cannot be read',
      messageOf(error),
      `Make ${file} readable for this user, or set PROMPTDECK_CONFIG_DIR`,
      { cause: error },
    )
  }
  const parsed = Servers.safeParse(jsonOf(text))
  if (parsed.success) return parsed.data
  throw new Failure(
    'The stored servers cannot be read',
    `${file} is damaged`,
    'Move the file away and pair again with "promptdeck pair <address>"',
  )
}

/** Replaces the file atomically. Only this user can read it, because it contains tokens. */
export async function writeServers(place: Place, servers: Servers): Promise<void> {
  const file = serversFile(place)
  try {
    await makeFolder(configFolder(place))
    await replaceFile(file, `${JSON.stringify(servers, null, 2)}\n`)
  } catch (error) {
    throw new Failure(
      'The stored servers cannot be written',
      messageOf(error),
      `Make the folder of ${file} writable, or set PROMPTDECK_CONFIG_DIR`,
      { cause: error },
    )
  }
}

const isNamed =
  (name: string) =>
  (server: StoredServer): boolean =>
    server.name.toLowerCase() === name.toLowerCase()

/** Returns the server of that name. Throws if there is none. */
export function requireServer({ servers }: Servers, name: string): StoredServer {
  const found = servers.find(isNamed(name))
  if (found !== undefined) return found
  const names = servers.map((server) => server.name).join(', ') || 'none'
  throw new Failure(
    `No stored server is called "${name}"`,
    `The stored servers are: ${names}`,
    'Choose one of them, or pair with "promptdeck pair <address>"',
  )
}

export function withoutServer(all: Servers, name: string): Servers {
  const { name: removed } = requireServer(all, name)
  return {
    current: all.current === removed ? null : all.current,
    servers: all.servers.filter((server) => server.name !== removed),
  }
}

/**
 * Throws if an entry of this name or address belongs to another server, which is one with another CA. The same
 * server may be paired again.
 */
export function refuseReplacement(
  { servers }: Servers,
  added: Pick<StoredServer, 'address' | 'fingerprint'> & { readonly name?: string },
): void {
  const other = servers.find(
    (server) =>
      server.fingerprint !== added.fingerprint &&
      (server.address === added.address || (added.name !== undefined && isNamed(added.name)(server))),
  )
  if (other === undefined) return
  throw new Failure(
    `The stored server "${other.name}" would be replaced by another one`,
    `Its address is ${other.address}, and its CA has the fingerprint ${other.fingerprint}`,
    `Choose another name with --as, or remove it first with "promptdeck servers remove ${other.name}". Ask the admin if the server at a known address suddenly has another CA`,
  )
}

/** Returns the servers with this one, in place of an earlier entry of the same server. */
export function withServer(all: Servers, added: StoredServer): Servers {
  const isSame = (server: StoredServer) => isNamed(added.name)(server) || server.address === added.address
  const replaced = all.servers.find((server) => isSame(server) && server.name === all.current)
  return {
    current: replaced === undefined ? all.current : added.name,
    servers: [...all.servers.filter((server) => !isSame(server)), added],
  }
}
