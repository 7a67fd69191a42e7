import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { invalid, messageOf } from '../core/errors.ts'
import type { Env, StoredServer } from '../core/target.ts'

const certificateBlock = /-----BEGIN CERTIFICATE-----[\w+/=\s]+-----END CERTIFICATE-----/g

/** Returns CA certificates as PEM text, given as text or as the path of a PEM file. */
export function readCa(textOrPath: string): string {
  if (typeof textOrPath !== 'string' || textOrPath.trim() === '')
    throw invalid('ca is empty. Set it to the CA certificate as PEM text, or to the path of a PEM file.')
  const text = textOrPath.includes('-----BEGIN') ? textOrPath : readFileOf(textOrPath)
  const blocks = text.match(certificateBlock)
  if (blocks === null)
    throw invalid('ca contains no certificate. Set ca or PROMPTDECK_CA to a PEM text, or to a PEM file.')
  try {
    for (const block of blocks) new X509Certificate(block)
  } catch (error) {
    throw invalid(`The CA certificate is damaged (${messageOf(error)}). Copy it again from the trust page.`)
  }
  return blocks.join('\n')
}

function readFileOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw invalid(
      `The CA certificate cannot be read: ${messageOf(error)}. Check the path in ca or PROMPTDECK_CA.`,
    )
  }
}

/** Returns the folder of `servers.json`; the same as that of the command `promptdeck`. */
function configFolder(env: Env): string {
  const custom = env['PROMPTDECK_CONFIG_DIR']
  if (custom) return custom
  if (process.platform === 'win32')
    return join(env['APPDATA'] || join(homedir(), 'AppData', 'Roaming'), 'promptdeck', 'Config')
  const home = env['HOME'] || homedir()
  if (process.platform === 'darwin') return join(home, 'Library', 'Preferences', 'promptdeck')
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'promptdeck')
}

type ServerFile = {
  readonly current: string | null
  readonly servers: readonly (StoredServer & { readonly name: string })[]
}

function readServers(file: string): ServerFile {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing) return { current: null, servers: [] }
    throw invalid(`The stored servers cannot be read: ${messageOf(error)}. Set server, or correct the file.`)
  }
  const parsed = parse(text)
  if (parsed === null)
    throw invalid(`${file} is damaged. Set server, or move the file away and run "promptdeck pair" again.`)
  return parsed
}

function parse(text: string): ServerFile | null {
  try {
    const { current = null, servers } = JSON.parse(text) as ServerFile
    const isValid = servers.every((server) =>
      [server.name, server.address, server.token, server.ca].every((field) => typeof field === 'string'),
    )
    return isValid ? { current, servers } : null
  } catch {
    // Not JSON, or JSON of another form.
    return null
  }
}

/** Returns a server that `promptdeck pair` stored: the one of that name; for null the chosen or only one. */
export function storedServer(name: string | null, env: Env): StoredServer | null {
  const file = join(configFolder(env), 'servers.json')
  const { current, servers } = readServers(file)
  const wanted = name ?? current
  if (wanted === null) return servers.length === 1 ? (servers[0] ?? null) : null
  const found = servers.find((server) => server.name.toLowerCase() === wanted.toLowerCase())
  if (found !== undefined) return found
  if (name === null) return null
  throw invalid(
    `PROMPTDECK_SERVER is neither a URL nor the name of a stored server. Run "promptdeck servers list" to see the names.`,
  )
}
