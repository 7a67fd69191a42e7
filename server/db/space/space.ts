import { statfs } from '../../disk/promises.ts'
import type { Clock } from '../../lib/clock.ts'
import { isNoSpace } from '../../lib/no-space.ts'
import { messageOf } from '../errors.ts'
import type { StoreLogger } from '../types.ts'
import { createReserve, hasReserve, RESERVE_BYTES } from './reserve.ts'

/** While the disk is full, room is looked for this often, ms. */
const RECHECK_MS = 5000

export type Space = {
  /** Since when the disk is full; null while it is not. */
  fullSince(): Date | null
  /** Notes that the disk refused room. */
  noteFull(error: unknown): void
  /** Resolves with true once there is room for a segment and the reserve. Calls at the same time share one attempt. */
  hasRoom(): Promise<boolean>
  /** Makes the reserve in the background if it is missing. */
  prepare(): void
  close(): Promise<void>
}

export type SpaceOptions = {
  readonly folder: string
  /** The data folder, where the reserve is. Undefined: a store without a reserve. */
  readonly dataDir: string | undefined
  readonly segmentBytes: number
  /** Makes the next segment ready; rejects with what the disk said. */
  readonly makeSegment: () => Promise<unknown>
  readonly clock: Clock
  readonly logger: StoreLogger
}

/** Knows whether the disk is full, and finds out when it no longer is. */
export function createSpace(options: SpaceOptions): Space {
  const { dataDir, clock, logger } = options
  let since: Date | null = null
  let timer: NodeJS.Timeout | undefined
  let attempt: Promise<boolean> | undefined
  let isClosed = false

  function noteFull(error: unknown): void {
    if (since !== null || isClosed) return
    since = clock.now()
    logger.error(
      { reason: messageOf(error) },
      'the disk is full: only sign-in, reading, exports and what frees room go on until there is room again',
    )
    timer = setInterval(() => void hasRoom(), RECHECK_MS)
    timer.unref()
  }

  async function makeRoom(): Promise<boolean> {
    try {
      if (!(await isWorthTrying(options))) return false
      if (dataDir !== undefined && !hasReserve(dataDir)) await createReserve(dataDir)
      await options.makeSegment()
    } catch (error) {
      if (!isNoSpace(error)) logger.warn({ reason: messageOf(error) }, 'no room can be made on the disk')
      return false
    }
    since = null
    clearInterval(timer)
    logger.info({}, 'the disk has room again: everything goes on')
    return true
  }

  async function hasRoom(): Promise<boolean> {
    if (since === null) return true
    if (isClosed) return false
    attempt ??= makeRoom().finally(() => {
      attempt = undefined
    })
    return attempt
  }

  return {
    fullSince: () => since,
    noteFull,
    hasRoom,
    prepare() {
      if (dataDir === undefined || since !== null || hasReserve(dataDir)) return
      attempt ??= createReserve(dataDir)
        .then(
          () => true,
          (error: unknown) => {
            if (isNoSpace(error)) noteFull(error)
            else logger.warn({ reason: messageOf(error) }, 'no reserve can be made for a full disk')
            return false
          },
        )
        .finally(() => {
          attempt = undefined
        })
    },
    async close() {
      isClosed = true
      clearInterval(timer)
      await attempt
    },
  }
}

/** Asks the file system first: filling the last room of a disk again and again would harm other programs. */
async function isWorthTrying({ folder, dataDir, segmentBytes }: SpaceOptions): Promise<boolean> {
  const reserve = dataDir === undefined || hasReserve(dataDir) ? 0 : RESERVE_BYTES
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= segmentBytes + reserve
  } catch {
    // A file system that does not say: only writing tells.
    return true
  }
}
