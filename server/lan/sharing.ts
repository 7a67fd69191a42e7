import type { Logger } from 'pino'
import type { LanHosts } from '../http/guard.ts'
import { createSerialQueue } from '../lib/async/serial-queue.ts'
import type { Clock } from '../lib/clock.ts'
import { hourMs } from '../lib/durations.ts'
import { messageOf } from '../lib/text/message-of.ts'
import { AuthorityError, OwnCertificateError } from './certificates/errors.ts'
import type { Certificates, Current } from './certificates/manager.ts'
import type { Advertiser } from './discovery/advertiser.ts'
import type { LanIdentity } from './identity.ts'
import type { LanListener } from './listener/listener.ts'
import { hostNames, hostOf, isChosen, originsOf, shareableAddresses } from './network/names.ts'
import type { NetworkAddress, NetworkSource } from './network/source.ts'
import type { Blocker, SharingChoice, SharingStatus } from './sharing-state.ts'
import type { TrustFacts } from './trust/page.ts'

/** Shares the service on the local network while it is turned on and nothing prevents it. */
export type Sharing = {
  /** Applies the current choice and network. Resolves when the listener has changed. Never rejects. */
  check(): Promise<SharingStatus>
  status(): SharingStatus
  /** Returns null while the service is not shared. */
  identity(): LanIdentity | null
  hosts(): LanHosts | null
  trustFacts(): TrustFacts | null
  replaceAuthority(): Promise<string>
  /** Starts the checks of the network. */
  start(): Promise<void>
  /** Ends the checks and stops sharing. Resolves when all connections are closed. */
  stop(): Promise<void>
  close(): Promise<void>
}

export type SharingDeps = {
  readonly source: NetworkSource
  readonly certificates: Certificates
  readonly listener: LanListener
  readonly advertiser: Advertiser
  readonly choice: () => SharingChoice
  /** Returns the reasons not to share the service, such as built-in credentials. */
  readonly refusals: () => readonly Blocker[]
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** Interval after which session tickets no longer resume a connection, in milliseconds. */
const ticketMs = 12 * hourMs

type State = SharingDeps & {
  status: SharingStatus
  hosts: LanHosts | null
  presented: Current['credentials'] | null
  ticketsAt: number
  isClosed: boolean
}

export function createSharing(deps: SharingDeps): Sharing {
  const state: State = {
    ...deps,
    status: off(deps),
    hosts: null,
    presented: null,
    ticketsAt: 0,
    isClosed: false,
  }
  const queue = createSerialQueue()
  const check = () => queue.run(() => apply(state))
  let unwatch = () => {}
  const stop = (): Promise<void> => {
    unwatch()
    state.isClosed = true
    // A check that runs now may still announce the service, so this waits for it.
    const silenced = queue.run(() => deps.advertiser.announce(null, []))
    return Promise.all([deps.listener.stop(), silenced]).then(() => undefined)
  }
  return {
    check,
    status: () => state.status,
    hosts: () => state.hosts,
    identity: () => identityOf(state.status),
    trustFacts: () => trustFactsOf(state.status),
    replaceAuthority: () =>
      queue.run(async () => {
        const names = hostNames(deps.source.hostName())
        const fingerprint = await deps.certificates.replaceAuthority(names, deps.clock.now())
        await apply(state)
        return fingerprint
      }),
    async start() {
      unwatch = deps.source.watch(check)
      await check()
    },
    stop,
    async close() {
      await stop()
      await queue.idle()
      deps.listener.close()
    },
  }
}

/** Brings the listener into the chosen state. */
async function apply(state: State): Promise<SharingStatus> {
  if (state.isClosed) return state.status
  const before = state.status
  const shared = await nextStatus(state).catch((error: unknown) => failed(state, error))
  const after = { ...shared, discovery: await advertise(state, shared) }
  state.status = after
  if (after.state !== 'listening') stopListening(state)
  logChange(state, before, after)
  return after
}

async function nextStatus(state: State): Promise<SharingStatus> {
  const base = off(state)
  const choice = state.choice()
  const refusals = state.refusals()
  // The admin sees what to change before sharing is turned on.
  if (!choice.isEnabled) return { ...base, blockers: refusals }
  if (refusals.length > 0) return { ...base, state: 'blocked', blockers: refusals }
  const addresses = base.interfaces.filter(({ isSelected }) => isSelected)
  if (addresses.length === 0) return { ...base, state: 'failed', blockers: [noAddress] }
  const current = await present(state, addresses)
  return listen(state, { ...base, ...current }, addresses)
}

const noAddress: Blocker = {
  code: 'no_address',
  message:
    'No chosen network interface has a private address. Connect this computer to the network, or choose another interface.',
}

/** Returns the status while nothing listens. */
function off({ choice, source }: SharingDeps): SharingStatus {
  const { interfaces, port, name } = choice()
  return {
    state: 'off',
    name: name ?? (source.hostName() || 'Promptdeck'),
    port,
    origins: [],
    interfaces: shareableAddresses(source.addresses()).map((address) => ({
      ...address,
      isSelected: isChosen(address, interfaces),
    })),
    credentials: null,
    words: [],
    blockers: [],
    discovery: 'off',
  }
}

/** Presents the certificate for these addresses, and rotates the keys of session tickets. */
async function present(state: State, addresses: readonly NetworkAddress[]): Promise<Current> {
  const now = state.clock.now()
  const names = [...hostNames(state.source.hostName()), 'localhost']
  const subjects = { names, addresses: addresses.map(({ address }) => address) }
  const current = await state.certificates.current(subjects, now)
  if (current.credentials !== state.presented) {
    state.listener.present(current.credentials)
    state.presented = current.credentials
    state.ticketsAt = now.getTime()
  } else if (Math.abs(now.getTime() - state.ticketsAt) >= ticketMs) {
    state.listener.rotateTicketKeys()
    state.ticketsAt = now.getTime()
  }
  return current
}

async function listen(
  state: State,
  status: SharingStatus,
  addresses: readonly NetworkAddress[],
): Promise<SharingStatus> {
  const hosts = addresses.map(({ address, zone }) => (zone === null ? address : `${address}%${zone}`))
  const requested = state.choice().port
  const { port, failures } = await state.listener.listenOn({ hosts, port: requested })
  const blockers = failures.map((message): Blocker => ({ code: 'listen_failed', message }))
  if (port === null) return { ...status, state: 'failed', blockers }
  const own = status.credentials?.names ?? []
  const names = [...new Set([...hostNames(state.source.hostName()), ...own])].filter(
    (name) => name !== 'localhost',
  )
  state.hosts = { names: new Set([...names, ...addresses.map(({ address }) => hostOf(address))]), port }
  return { ...status, state: 'listening', port, origins: originsOf(addresses, names, port), blockers }
}

/** Announces the service while it is shared and the admin wants it to be found. */
async function advertise(
  { advertiser, choice }: State,
  { state, name, port, credentials, interfaces }: SharingStatus,
): Promise<SharingStatus['discovery']> {
  const isWanted = choice().isDiscoverable && state === 'listening' && credentials !== null
  if (!isWanted) {
    await advertiser.announce(null, [])
    return 'off'
  }
  const addresses = interfaces
    .filter(({ isSelected, family }) => isSelected && family === 'IPv4')
    .map(({ address }) => address)
  await advertiser.announce({ name, port, fingerprint: credentials.fingerprint }, addresses)
  return addresses.length === 0 || advertiser.failure() !== null ? 'failed' : 'announced'
}

function failed(state: State, error: unknown): SharingStatus {
  const message = messageOf(error)
  const isKnown = error instanceof AuthorityError || error instanceof OwnCertificateError
  if (!isKnown) state.logger.error({ err: error }, 'sharing on the network failed')
  const code = error instanceof OwnCertificateError ? 'own_certificate' : 'authority'
  return { ...off(state), state: 'failed', blockers: [{ code, message }] }
}

/** Does not wait for open connections: one of them may have sent the request to stop. */
function stopListening(state: State): void {
  state.hosts = null
  void state.listener.stop()
}

function logChange({ logger }: State, before: SharingStatus, after: SharingStatus): void {
  const key = ({ state, origins, blockers }: SharingStatus) => JSON.stringify([state, origins, blockers])
  if (key(before) === key(after)) return
  const blockers = after.state === 'off' ? [] : after.blockers
  for (const { message } of blockers) logger.warn(`Sharing on the network: ${message}`)
  if (after.state === 'listening') logger.info({ origins: after.origins }, 'shared on the network')
  else if (before.state === 'listening') logger.info('no longer shared on the network')
}

function identityOf({ state, name, credentials, words }: SharingStatus): LanIdentity | null {
  if (state !== 'listening' || credentials === null) return null
  return { name, fingerprint: credentials.fingerprint, words, authorityPem: credentials.authorityPem }
}

function trustFactsOf(status: SharingStatus): TrustFacts | null {
  const identity = identityOf(status)
  if (identity === null) return null
  return { ...identity, addresses: status.origins, source: status.credentials?.source ?? 'local' }
}
