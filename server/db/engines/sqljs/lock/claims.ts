import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { syncFolder } from '../../../../disk/durable.ts'
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from '../../../../disk/fs.ts'
import { withRemedy } from '../../../../lib/files/remedy.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { StoreError } from '../../../errors.ts'
import { type Fence, inodeOf } from './fence.ts'
import { assertPrivate, socketAt } from './permissions.ts'

/*
 * run/ in the folder of the store, for this user only:
 *
 *   owner-<epoch>.json   the claim of an owner. It is created exclusively, so each epoch has one owner. The
 *                        next owner creates the next epoch and removes this one before it reads the store.
 *                        The highest remains.
 *   <random>.sock        the socket on which the owner answers
 */
const Claim = z.object({
  epoch: z.int().min(1),
  /** Random. Distinguishes two owners even if the claims were deleted and epochs start again. */
  instance: z.int(),
  /** Device and inode of run/. A claim in a copy of the folder does not match and is void. */
  place: z.string(),
  pid: z.int().min(1),
  process: z.object({ boot: z.string(), space: z.string(), started: z.string() }).nullable(),
  /** Path of the socket. Paths contain no control characters: a claim with one is damaged. */
  address: z.string().regex(/^\P{Cc}+$/u),
  /** Key of the challenge that proves who answers at the address. */
  secret: z.string(),
  released: z.boolean(),
})
export type Claim = z.infer<typeof Claim>

export type OwnClaim = {
  readonly claim: Claim
  readonly fence: Fence
  update(changes: Partial<Pick<Claim, 'address'>>): void
  /** Removes a claim that never took effect. */
  withdraw(): void
  /** Releases the folder. Throws the disk's error if the claim still names this process as the owner. */
  release(): void
}

/**
 * Released claims of this process, by instance. If a release cannot be written to disk, this process can
 * still claim the folder again; other processes can when this one has ended.
 */
const releasedHere = new Set<number>()
/** Returns true for a claim that this process released, even if the file does not show it. */
const isReleasedHere = ({ instance, pid }: Claim): boolean =>
  pid === process.pid && releasedHere.has(instance)

/** Prefix of folders in the temporary directory that contain one socket each. */
export const SOCKET_FOLDER = 'promptdeck-owner-'

export const runFolderOf = (folder: string): string => join(folder, 'run')
const fileOf = (run: string, epoch: number): string => join(run, `owner-${epoch}.json`)

/** Creates the folder of the lock. Returns its real path. */
export function prepareRunFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const real = realpathSync(folder)
  assertPrivate(real)
  const run = runFolderOf(real)
  try {
    mkdirSync(run, { recursive: true, mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw blockedLock(run)
    const message = `The lock folder ${run} cannot be created: ${messageOf(error)}`
    throw new StoreError('unreadable', withRemedy(message, error), { cause: error })
  }
  assertPrivate(run)
  return run
}

/** Returns device and inode of run/, which identify the folder. */
export function placeOf(run: string): string {
  const { dev, ino } = statSync(run, { bigint: true })
  return `${dev}:${ino}`
}

/** Returns the claimed epochs, oldest first. */
export function epochsIn(run: string): number[] {
  return readdirSync(run)
    .map((name) => Number(/^owner-(\d{1,15})\.json$/.exec(name)?.[1]))
    .filter((epoch) => epoch >= 1)
    .sort((a, b) => a - b)
}

/** Returns true for a claim of this folder that was not released. */
export const isActive = (run: string, claim: Claim): boolean =>
  !claim.released && !isReleasedHere(claim) && claim.place === placeOf(run)

/**
 * Returns undefined if there is no claim, `unreadable` if it is being written or a crash left it incomplete.
 */
export function readClaim(run: string, epoch: number): Claim | 'unreadable' | undefined {
  const file = fileOf(run, epoch)
  try {
    const claim = Claim.parse(JSON.parse(readFileSync(file, 'utf8')))
    return claim.epoch === epoch ? claim : 'unreadable'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'EISDIR') throw blockedLock(file)
    if (code !== undefined) {
      const defaultRemedy = 'Make sure that no other process uses the folder, move it away, then start again.'
      const message = `The lock ${file} cannot be read: ${messageOf(error)}`
      throw new StoreError('unreadable', withRemedy(message, error, defaultRemedy), { cause: error })
    }
    return 'unreadable'
  }
}

/** Claims an epoch. Returns undefined if another process claimed it first. */
export function createClaim(folder: string, run: string, claim: Claim): OwnClaim | undefined {
  const file = fileOf(run, claim.epoch)
  let handle: number
  try {
    handle = openSync(file, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
  let current = claim
  const update = (changes: Partial<Pick<Claim, 'address' | 'released'>>): void => {
    current = { ...current, ...changes }
    // Write through the open file, so that a claim that was removed meanwhile is not created again.
    write(handle, current)
  }
  const release = (): void => {
    releasedHere.add(claim.instance)
    try {
      update({ released: true })
    } catch {
      // Retry once: a transient disk error should not keep other processes out.
      update({ released: true })
    } finally {
      closeSync(handle)
    }
  }
  const withdraw = (): void => {
    try {
      rmSync(file, { force: true })
    } catch {
      release()
      return
    }
    closeSync(handle)
  }
  try {
    write(handle, claim)
    syncFolder(run)
    const inode = inodeOf(file) ?? ''
    const fence = { epoch: claim.epoch, instance: claim.instance, folder, file, inode }
    return { claim, fence, update, withdraw, release }
  } catch (error) {
    try {
      withdraw()
    } catch {
      // The claim becomes void when this process ends. The first error is the one to report.
    }
    throw error
  }
}

/** Removes the claims before `epoch`. Later writes of their owners are not acknowledged. */
export function retireBefore(run: string, epoch: number): void {
  for (const older of epochsIn(run)) {
    if (older >= epoch) continue
    const claim = readClaim(run, older)
    rmSync(fileOf(run, older), { force: true })
    // Remove the socket of an owner that was killed, unless the claim is in a copy of the folder: it then
    // names the socket of the original.
    const isHere = typeof claim === 'object' && claim.place === placeOf(run)
    if (isHere && socketAt(claim.address) === 'own') removeSocket(run, claim.address)
  }
  syncFolder(run)
}

/** Removes a socket, and the private folder that was created for it. */
export function removeSocket(run: string, address: string): void {
  if (process.platform === 'win32') return
  if (dirname(address) === run) rmSync(address, { force: true })
  else if (basename(dirname(address)).startsWith(SOCKET_FOLDER))
    rmSync(dirname(address), { recursive: true, force: true })
}

function write(handle: number, claim: Claim): void {
  const text = Buffer.from(`${JSON.stringify(claim, null, 2)}\n`)
  writeSync(handle, text, 0, text.length, 0)
  ftruncateSync(handle, text.length)
  fsyncSync(handle)
}

function blockedLock(path: string): StoreError {
  return new StoreError('unreadable', `${path} blocks the lock. Move it away, then start again.`)
}
