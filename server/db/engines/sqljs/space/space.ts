import { statfs } from '../../../../disk/promises.ts'
import type { Clock } from '../../../../lib/clock.ts'
import { isNoSpace } from '../../../../lib/files/no-space.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import type { StoreLogger } from '../../../types.ts'
import { createReserve, hasReserve, RESERVE_BYTES } from './reserve.ts'

/** Interval of checks for free space while the disk is full, in milliseconds. */
const RECHECK_MS = 5000

export type Space = {
  /** Returns when the disk became full; null while it has space. */
  fullSince(): Date | null
  /** Records that a write failed because the disk is full, and starts the checks for free space. */
  noteFull(error: unknown): void
  /**
   * Checks for space for a segment and the reserve, and allocates both. Resolves with false if the disk is
   * still full. Concurrent calls share one attempt.
   */
  hasSpace(): Promise<boolean>
  /** Creates the reserve in the background if it is missing. */
  prepare(): void
  close(): Promise<void>
}

export type SpaceOptions = {
  readonly folder: string
  /** The data folder with the disk reserve. Undefined for a store without a reserve. */
  readonly dataDir: string | undefined
  readonly segmentBytes: number
  /** Preallocates the next segment. Rejects with the disk's error. */
  readonly makeSegment: () => Promise<unknown>
  readonly clock: Clock
  readonly logger: StoreLogger
}

/** Tracks whether the disk is full, and checks until it has space again. */
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
      'the disk is full: until there is space again, only sign-in, reading, exports and deletion work',
    )
    timer = setInterval(() => void hasSpace(), RECHECK_MS)
    timer.unref()
  }

  async function endFullState(): Promise<boolean> {
    try {
      if (!(await isWorthTrying(options))) return false
      if (dataDir !== undefined && !hasReserve(dataDir)) await createReserve(dataDir)
      await options.makeSegment()
    } catch (error) {
      if (!isNoSpace(error))
        logger.warn({ reason: messageOf(error) }, 'the disk reserve or the next segment could not be created')
      return false
    }
    since = null
    clearInterval(timer)
    logger.info({}, 'the disk has space again: all requests are accepted')
    return true
  }

  async function hasSpace(): Promise<boolean> {
    if (since === null) return true
    if (isClosed) return false
    attempt ??= endFullState().finally(() => {
      attempt = undefined
    })
    return attempt
  }

  return {
    fullSince: () => since,
    noteFull,
    hasSpace,
    prepare() {
      if (dataDir === undefined || since !== null || hasReserve(dataDir)) return
      attempt ??= createReserve(dataDir)
        .then(
          () => true,
          (error: unknown) => {
            if (isNoSpace(error)) noteFull(error)
            else logger.warn({ reason: messageOf(error) }, 'the disk reserve could not be created')
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

/** Checks the free space first, because repeatedly filling a disk to its end would harm other programs. */
async function isWorthTrying({ folder, dataDir, segmentBytes }: SpaceOptions): Promise<boolean> {
  const reserve = dataDir === undefined || hasReserve(dataDir) ? 0 : RESERVE_BYTES
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize >= segmentBytes + reserve
  } catch {
    // The file system does not report its free space. Try to write.
    return true
  }
}
