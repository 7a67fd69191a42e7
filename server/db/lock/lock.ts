import { randomBytes, randomInt } from 'node:crypto'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { realpathSync } from '../../disk/fs.ts'
import { endAll } from '../../lib/end-all.ts'
import { messageOf, StoreError } from '../errors.ts'
import type { StoreLogger } from '../types.ts'
import {
  type Claim,
  createClaim,
  epochsIn,
  isGivenBack,
  type OwnClaim,
  placeOf,
  prepareRunFolder,
  readClaim,
  retireBefore,
  runFolderOf,
} from './claims.ts'
import { holdEarlierAddress } from './earlier-address.ts'
import { type Fence, fencedOut, isOwned } from './fence.ts'
import { isOutOfFiles, type Listener, listenIn } from './listener.ts'
import { type Answer, answerChallenge, ask, lockedBy } from './peer.ts'
import { isPrivate } from './permissions.ts'
import { livenessOf, ownIdentity } from './process-identity.ts'

/** Ownership of a folder: one process at a time. The owner answers at a local socket with its URL. */
export type Lock = {
  readonly fence: Fence
  /** Sets the URL that other processes receive. */
  announce(url: string): void
  /** Calls `listener` once when another process has taken over the folder. */
  onLost(listener: (error: Error) => void): void
  release(): Promise<void>
}

/** How often an owner looks after its socket and its claim. */
const UPKEEP_MS = 1000
/** An owner whose socket was removed answers again within this time. */
const REPAIR_MS = 3 * UPKEEP_MS
const POLL_MS = 25
/** Starts at the same instant end within milliseconds. */
const PATIENCE_MS = REPAIR_MS + 5000

type Logger = Pick<StoreLogger, 'warn'>

/** Takes the folder for this process. Throws a StoreError when another one has it, or when it cannot be locked. */
export async function acquireLock(folder: string, logger?: Logger): Promise<Lock> {
  try {
    return await acquire(folder, logger)
  } catch (error) {
    if (error instanceof StoreError || isOutOfFiles(error)) throw error
    const isInTheWay = (error as NodeJS.ErrnoException).code === 'EISDIR'
    const advice = isInTheWay ? '. Move it away, then start again.' : ''
    const message = `The lock of ${folder} cannot be taken: ${messageOf(error)}${advice}`
    throw new StoreError('unreadable', message, { cause: error })
  }
}

async function acquire(folder: string, logger: Logger | undefined): Promise<Lock> {
  const run = prepareRunFolder(folder)
  const real = dirname(run)
  const secret = randomBytes(32).toString('base64url')
  let url: string | null = null
  const answer = (): Answer => ({ pid: process.pid, url })
  const listener = await listenIn(run, (socket) => answerChallenge(socket, secret, answer))
  let own: OwnClaim | undefined
  try {
    const claimed = await claimFolder({ folder, real, run, secret, listener })
    own = claimed
    const { claim, fence } = claimed
    const earlier = await holdEarlierAddress({ folder: real, epoch: claim.epoch, answer, logger })
    const upkeep = startUpkeep(claimed, listener, logger)
    return {
      fence,
      announce(next) {
        url = next
      },
      onLost: upkeep.onLost,
      // A step that fails leaves files behind, never the folder locked.
      release: () => endAll([upkeep.stop, earlier.close, listener.close, claimed.release]),
    }
  } catch (error) {
    await endAll([listener.close, () => own?.release()]).catch((reason: unknown) =>
      logger?.warn({ reason: messageOf(reason) }, 'the lock that was not taken left files behind'),
    )
    throw error
  }
}

type Claiming = {
  /** As given, for messages; and the real path. */
  readonly folder: string
  readonly real: string
  readonly run: string
  readonly secret: string
  readonly listener: Listener
}

async function claimFolder(claiming: Claiming): Promise<OwnClaim> {
  const { folder, real, run, secret, listener } = claiming
  const began = performance.now()
  for (;;) {
    const epochs = epochsIn(run)
    const waited = performance.now() - began
    if (await areFree(folder, run, epochs, waited)) {
      const claim: Claim = {
        epoch: (epochs.at(-1) ?? 0) + 1,
        instance: randomInt(1, 2 ** 32),
        place: placeOf(run),
        pid: process.pid,
        process: ownIdentity(),
        address: listener.address(),
        secret,
        released: false,
      }
      const own = createClaim(real, run, claim)
      if (own !== undefined && takeEffect(run, own, epochs)) return own
    }
    if (waited > PATIENCE_MS)
      throw new StoreError('locked', `Another process is just opening ${folder}. Try again.`)
    await delay(POLL_MS)
  }
}

/** Ends the ownership of earlier owners, unless another process claimed the folder too; then withdraws the claim. */
function takeEffect(run: string, own: OwnClaim, earlier: readonly number[]): boolean {
  const { epoch } = own.claim
  try {
    // Someone with an older view of the folder may have been faster: both look again, and the later one gives way.
    const isAlone = epochsIn(run).every((found) => found === epoch || earlier.includes(found))
    if (isAlone) retireBefore(run, epoch)
    else own.withdraw()
    return isAlone
  } catch (error) {
    try {
      own.release()
    } catch {
      // It ends with this process. The first failure is the one to report.
    }
    throw error
  }
}

/** False: look again soon. Throws when one of the claims is in force. */
async function areFree(
  folder: string,
  run: string,
  epochs: readonly number[],
  waited: number,
): Promise<boolean> {
  let isFree = true
  for (const epoch of epochs) {
    const claim = readClaim(run, epoch)
    // Being written: unless its writer died, it can be read in a moment.
    if (claim === undefined || claim === 'unreadable') isFree &&= claim === 'unreadable' && waited > REPAIR_MS
    else if (isInForce(run, claim)) isFree = (await isAbandoned(folder, claim, waited)) && isFree
  }
  return isFree
}

const isInForce = (run: string, claim: Claim): boolean =>
  !claim.released && !isGivenBack(claim) && claim.place === placeOf(run)

async function isAbandoned(folder: string, claim: Claim, waited: number): Promise<boolean> {
  const heard = await ask(claim.address, claim.secret)
  if (heard.kind === 'owner') throw lockedBy(folder, heard)
  const liveness = livenessOf(claim.pid, claim.process)
  if (liveness === 'dead') return true
  if (heard.kind === 'silent')
    throw unreachable(folder, claim, 'does not answer; it may be suspended or very busy')
  // No owner is listening. If it lives, it has lost its socket and is about to create it again.
  if (liveness === 'unknown' && heard.kind === 'refused') return true
  if (waited <= REPAIR_MS) return false
  if (liveness === 'alive') throw unreachable(folder, claim, 'cannot be reached at its socket')
  return true
}

function unreachable(folder: string, { pid }: Claim, how: string): StoreError {
  return new StoreError(
    'locked',
    `${folder} is in use by process ${pid}, which ${how}. Continue or end that process, then start again.`,
  )
}

/** Restores the socket when someone removed it, and notices when the claim is gone. */
function startUpkeep(own: OwnClaim, listener: Listener, logger: Logger | undefined) {
  let tell: ((error: Error) => void) | undefined
  let lost: Error | undefined
  let isBusy = false
  const look = async (): Promise<void> => {
    if (!isOwned(own.fence)) {
      clearInterval(timer)
      lost = fencedOut(own.fence.folder)
      tell?.(lost)
    } else if (await listener.repair()) own.update({ address: listener.address() })
  }
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    look()
      .catch((error: unknown) =>
        logger?.warn({ reason: messageOf(error) }, 'the lock could not be looked after'),
      )
      .finally(() => {
        isBusy = false
      })
  }, UPKEEP_MS)
  timer.unref()
  return {
    stop: () => clearInterval(timer),
    onLost(listen: (error: Error) => void) {
      tell = listen
      if (lost !== undefined) listen(lost)
    },
  }
}

/** Returns the URL of the service that has `folder` open; null when none has, or it is not listening yet. */
export async function findRunning(folder: string): Promise<string | null> {
  for (const claim of claimsOf(folder)) {
    const heard = await ask(claim.address, claim.secret)
    if (heard.kind === 'owner') return heard.url
  }
  return null
}

function claimsOf(folder: string): Claim[] {
  let run: string
  try {
    run = runFolderOf(realpathSync(folder))
  } catch {
    // No such folder yet.
    return []
  }
  if (!isPrivate(run)) return []
  return epochsIn(run)
    .map((epoch) => readClaim(run, epoch))
    .filter((claim) => claim !== undefined && claim !== 'unreadable')
    .filter((claim) => isInForce(run, claim))
}
