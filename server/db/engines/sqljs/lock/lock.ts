import { randomBytes, randomInt } from 'node:crypto'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { existsSync, realpathSync } from '../../../../disk/fs.ts'
import { endAll } from '../../../../lib/end-all.ts'
import { withRemedy } from '../../../../lib/files/remedy.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { StoreError } from '../../../errors.ts'
import type { StoreLogger } from '../../../types.ts'
import { removeAbandoned } from './abandoned.ts'
import {
  type Claim,
  createClaim,
  epochsIn,
  isActive,
  type OwnClaim,
  placeOf,
  prepareRunFolder,
  readClaim,
  retireBefore,
  runFolderOf,
} from './claims.ts'
import { listenAtEarlierAddress, refuseEarlierVersion } from './earlier-address.ts'
import { type Fence, fencedOut, isOwned } from './fence.ts'
import { type Listener, listenIn } from './listener.ts'
import { localKeyOf } from './owner.ts'
import { type Answer, answerChallenge, ask, lockedBy } from './peer.ts'
import { assertPrivate } from './permissions.ts'
import { livenessOf, ownIdentity } from './process-identity.ts'

/** Ownership of a folder by one process. The owner answers at a local socket with its URL. */
export type Lock = {
  readonly fence: Fence
  /** A key that is known only to processes that can read the lock. It changes with each start. */
  readonly localKey: Buffer
  /** Sets the URL that other processes receive. */
  announce(url: string): void
  /** Calls `listener` once when another process has taken over the folder. */
  onLost(listener: (error: Error) => void): void
  release(): Promise<void>
}

/** Interval at which an owner checks its socket and its claim, in milliseconds. */
const CHECK_INTERVAL_MS = 1000
/** Maximum time until an owner whose socket was removed answers again, in milliseconds. */
const REPAIR_MS = 3 * CHECK_INTERVAL_MS
const POLL_MS = 25
/** Maximum time to wait for competing starts, in milliseconds. They usually finish within milliseconds. */
const MAX_WAIT_MS = REPAIR_MS + 5000

type Logger = Pick<StoreLogger, 'warn'>

/**
 * Claims the folder for this process. Throws a `StoreError` if another process owns it or it cannot be
 * locked.
 */
export async function acquireLock(folder: string, logger?: Logger): Promise<Lock> {
  try {
    return await acquire(folder, logger)
  } catch (error) {
    if (error instanceof StoreError) throw error
    const message = `The lock of ${folder} cannot be taken: ${messageOf(error)}`
    throw new StoreError('unreadable', withRemedy(message, error), { cause: error })
  }
}

async function acquire(folder: string, logger: Logger | undefined): Promise<Lock> {
  const run = prepareRunFolder(folder)
  const real = dirname(run)
  const secret = randomBytes(32).toString('base64url')
  let url: string | null = null
  const answer = (): Answer => ({ pid: process.pid, url })
  const listener = await listenIn(run, (socket) => answerChallenge(socket, secret, answer))
  let ownClaim: OwnClaim | undefined
  try {
    const claimed = await claimFolder({ folder, real, run, secret, listener })
    ownClaim = claimed
    const { claim, fence } = claimed
    const earlier = await listenAtEarlierAddress({ folder: real, epoch: claim.epoch, answer, logger })
    await removeAbandoned().catch((reason: unknown) =>
      logger?.warn({ reason: messageOf(reason) }, 'what killed processes left behind could not be removed'),
    )
    const maintenance = startMaintenance(claimed, listener, logger)
    return {
      fence,
      localKey: localKeyOf(secret),
      announce(next) {
        url = next
      },
      onLost: maintenance.onLost,
      // A step that fails may leave files behind, but does not keep the folder locked.
      release: () => endAll([maintenance.stop, earlier.close, listener.close, claimed.release]),
    }
  } catch (error) {
    await endAll([listener.close, () => ownClaim?.release()]).catch((reason: unknown) =>
      logger?.warn({ reason: messageOf(reason) }, 'the lock that was not taken left files behind'),
    )
    throw error
  }
}

/** Throws a `StoreError` if a process owns the folder. Changes nothing. */
export async function refuseOwned(folder: string): Promise<void> {
  const real = realpathSync(folder)
  assertPrivate(real)
  await refuseEarlierVersion(real)
  const run = runFolderOf(real)
  if (!existsSync(run)) return
  const began = performance.now()
  // An owner that lost its socket creates it again, and then names its URL.
  while (!(await areFree(folder, run, epochsIn(run), performance.now() - began))) await delay(POLL_MS)
}

type Claiming = {
  /** The path as configured, for messages; `real` is the resolved path. */
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
      const ownClaim = createClaim(real, run, claim)
      if (ownClaim !== undefined && takeEffect(run, ownClaim, epochs)) return ownClaim
    }
    if (waited > MAX_WAIT_MS)
      throw new StoreError('locked', `Another process is opening ${folder}. Try again.`)
    await delay(POLL_MS)
  }
}

/**
 * Ends the ownership of earlier owners. Withdraws the claim and returns false if another process claimed the
 * folder too.
 */
function takeEffect(run: string, ownClaim: OwnClaim, earlier: readonly number[]): boolean {
  const { epoch } = ownClaim.claim
  try {
    // A process that listed the claims earlier may have claimed the folder too. Both list them again, and the
    // later one withdraws.
    const isAlone = epochsIn(run).every((found) => found === epoch || earlier.includes(found))
    if (isAlone) retireBefore(run, epoch)
    else ownClaim.withdraw()
    return isAlone
  } catch (error) {
    try {
      ownClaim.release()
    } catch {
      // The claim becomes void when this process ends. The first error is the one to report.
    }
    throw error
  }
}

/** Returns true if no claim is active, false if that is not known yet. Throws if a claim is active. */
async function areFree(
  folder: string,
  run: string,
  epochs: readonly number[],
  waited: number,
): Promise<boolean> {
  let isFree = true
  for (const epoch of epochs) {
    const claim = readClaim(run, epoch)
    // An unreadable claim is being written. It is readable in a moment unless its writer died.
    if (claim === undefined || claim === 'unreadable') isFree &&= claim === 'unreadable' && waited > REPAIR_MS
    else if (isActive(run, claim)) isFree = (await isAbandoned(folder, claim, waited)) && isFree
  }
  return isFree
}

async function isAbandoned(folder: string, claim: Claim, waited: number): Promise<boolean> {
  const reply = await ask(claim.address, claim.secret)
  if (reply.kind === 'owner') throw lockedBy(folder, reply)
  const liveness = livenessOf(claim.pid, claim.process)
  if (liveness === 'dead') return true
  if (reply.kind === 'silent')
    throw unreachable(folder, claim, 'does not answer; it may be suspended or very busy')
  // No owner is listening. If it is alive, it lost its socket and will create it again.
  if (liveness === 'unknown' && reply.kind === 'refused') return true
  if (waited <= REPAIR_MS) return false
  if (liveness === 'alive') throw unreachable(folder, claim, 'cannot be reached at its socket')
  return true
}

function unreachable(folder: string, { pid }: Claim, problem: string): StoreError {
  return new StoreError(
    'locked',
    `${folder} is in use by process ${pid}, which ${problem}. Continue or end that process, then start again.`,
  )
}

/** Creates the socket again if it was removed, and reports when the claim was removed. */
function startMaintenance(ownClaim: OwnClaim, listener: Listener, logger: Logger | undefined) {
  let notifyLost: ((error: Error) => void) | undefined
  let lost: Error | undefined
  let isBusy = false
  const check = async (): Promise<void> => {
    if (!isOwned(ownClaim.fence)) {
      clearInterval(timer)
      lost = fencedOut(ownClaim.fence.folder)
      notifyLost?.(lost)
    } else if (await listener.repair()) ownClaim.update({ address: listener.address() })
  }
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    check()
      .catch((error: unknown) =>
        logger?.warn({ reason: messageOf(error) }, 'the lock could not be checked; it is checked again'),
      )
      .finally(() => {
        isBusy = false
      })
  }, CHECK_INTERVAL_MS)
  timer.unref()
  return {
    stop: () => clearInterval(timer),
    onLost(listen: (error: Error) => void) {
      notifyLost = listen
      if (lost !== undefined) listen(lost)
    },
  }
}
