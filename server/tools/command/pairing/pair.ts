import { z } from 'zod'
import { call } from '../connection/service.ts'
import type { CommandContext } from '../io/command-context.ts'
import { Failure, UsageError } from '../io/failure.ts'
import {
  readServers,
  refuseReplacement,
  type StoredServer,
  thisMachine,
  withServer,
  writeServers,
} from '../servers/servers-file.ts'
import { parseFingerprint, parsePairAddress } from './address.ts'
import { type Authority, confirmAuthority, fetchAuthority } from './authority.ts'
import { type Credential, requestPairing, waitForApproval } from './request.ts'

export type PairOptions = {
  readonly code?: string
  readonly fingerprint?: string
  readonly kind: 'cli' | 'sdk'
  /** Name of this device, as admins see it. */
  readonly name: string
  /** Name under which the server is stored. */
  readonly as?: string
}

/** Pairs this machine with a server and stores it. Nothing is stored unless the whole pairing succeeds. */
export async function pair(
  addressText: string,
  options: PairOptions,
  context: CommandContext,
): Promise<StoredServer> {
  const { err } = context
  const address = parsePairAddress(addressText)
  const expected =
    options.fingerprint === undefined ? address.fingerprint : parseFingerprint(options.fingerprint)
  const alias = aliasOf(options.as)
  requireAnswers(options, address.secret, expected, context)
  const stored = await readServers(context)
  const authority = await fetchAuthority(address.origin)
  for (const line of describe(address.origin, authority)) err.write(`${line}\n`)
  await confirmAuthority(authority, expected, context)
  const identity = { address: address.origin, fingerprint: authority.fingerprint }
  refuseReplacement(stored, { ...identity, ...(alias !== null && { name: alias }) })

  const server = { origin: address.origin, ca: authority.pem }
  const credential = await credentialOf(options, address.secret, context)
  const requested = await requestPairing(server, credential, { name: options.name, kind: options.kind })
  const name = alias ?? nameOf(requested.name)
  refuseReplacement(stored, { ...identity, name })
  err.write(`Waiting for an admin to approve "${options.name}" (${authority.words.join(' ')}) …\n`)
  const token = await waitForApproval(server, requested)

  const { kind } = options
  const paired_at = context.now().toISOString()
  const added = { ...identity, name, ca: authority.pem, token, kind, paired_at }
  await checkToken(added)
  await writeServers(context, withServer(await readServers(context), added))
  return added
}

/** Throws before anything is sent if a question could not be asked later. */
function requireAnswers(
  { code }: PairOptions,
  secret: string | null,
  fingerprint: string | null,
  { terminal }: CommandContext,
): void {
  if (terminal !== null) return
  if (fingerprint === null)
    throw new UsageError(
      'Set --fingerprint, which the server shows under Settings › Network: without a terminal nobody can compare it.',
    )
  if (code === undefined && secret === null)
    throw new UsageError('Set --code, which the admin’s page shows: without a terminal nobody can type it.')
}

function describe(origin: string, { name, fingerprint, words }: Authority): readonly string[] {
  return [
    `Server       ${origin}`,
    `CA           ${name}`,
    `Fingerprint  ${fingerprint}`,
    `Words        ${words.join(' ')}`,
  ]
}

async function credentialOf(
  { code }: PairOptions,
  secret: string | null,
  { terminal }: CommandContext,
): Promise<Credential> {
  if (code !== undefined) return { code }
  if (secret !== null) return { secret }
  const typed = (await terminal?.ask('Code on the admin’s page: ')) ?? ''
  if (typed === '') throw new UsageError('A code is required. An admin opens pairing under Devices.')
  return { code: typed }
}

function aliasOf(name: string | undefined): string | null {
  if (name === undefined) return null
  if (name.trim() === '' || name.length > 64 || name.toLowerCase() === thisMachine)
    throw new UsageError(`--as must be a name of 1 to 64 characters other than "${thisMachine}".`)
  return name.trim()
}

/** Returns the server's own name in a form that can be typed. The name `local` is taken. */
function nameOf(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, 64)
  return plain === '' || plain.toLowerCase() === thisMachine ? 'server' : plain
}

/** Makes sure that the token works before it is stored. */
async function checkToken(server: StoredServer): Promise<void> {
  const { address: origin, ca, name, token } = server
  try {
    await call({ origin, ca, name, via: 'stored', token: () => token }, 'GET', '/api/me', z.object({}))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(
      'The server approved this device, but its token does not work',
      error.reason,
      'Ask the admin to revoke the device, and pair again. Nothing was stored',
      { cause: error },
    )
  }
}
