import { accessSync, constants, mkdirSync } from '../../../disk/fs.ts'
import { Problem } from '../../../lib/fail.ts'
import { isNoSpace } from '../../../lib/files/no-space.ts'
import { withRemedy } from '../../../lib/files/remedy.ts'
import { messageOf } from '../../../lib/text/message-of.ts'
import { isNoMemory, StoreError } from '../../errors.ts'
import { acquireLock, type Lock } from './lock/lock.ts'
import { withAdvice } from './recovery/advice.ts'
import { releaseForStart } from './space/reserve.ts'
import type { StoreOptions } from './store-options.ts'

/** Locks the folder. On a full disk it releases reserved space for the small files of a start. */
export async function lockFolder({
  folder,
  dataDir,
  logger,
}: Pick<StoreOptions, 'folder' | 'dataDir' | 'logger'>): Promise<Lock> {
  try {
    return await acquireLock(folder, logger)
  } catch (error) {
    if (!isNoSpace(error) || dataDir === undefined || !releaseForStart(dataDir)) throw error
    return acquireLock(folder, logger)
  }
}

/** Creates the folder if needed. Throws a `StoreError` if it cannot be used. */
export function ensureFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const message = `The data folder ${folder} cannot be used: ${messageOf(error)}`
    const remedy = 'Set DATA_DIR to a folder, then start again.'
    throw new StoreError('unreadable', withRemedy(message, error, remedy), { cause: error })
  }
}

/** Returns the error of a failed start, with advice for the user. */
export function withStartAdvice(error: unknown, options: StoreOptions): unknown {
  const isFull = isNoSpace(error) || (error instanceof Problem && error.code === 'store.full')
  const refuse = (message: string): StoreError => new StoreError('unreadable', message, { cause: error })
  if (isFull)
    return refuse(
      `The disk with ${options.folder} is full, and the service must write to start: ${messageOf(error)}. Free disk space and start again.`,
    )
  if (isNoMemory(error))
    return refuse(
      `There is not enough memory to open the store in ${options.folder}: ${messageOf(error)}. No data was lost. Close other programs, or give this process more memory, and start again.`,
    )
  return withAdvice(error, options)
}
