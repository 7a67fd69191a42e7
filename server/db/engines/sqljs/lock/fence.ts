import { statSync } from '../../../../disk/fs.ts'
import { StoreError } from '../../../errors.ts'

/**
 * Proof of ownership that any thread can check. It is valid while the owner's claim file exists: the next
 * owner removes that file before it reads the store. So a write that was synced before a successful check is
 * in what the next owner reads, and may be acknowledged.
 */
export type Fence = {
  /** Identifies the owner, and is written into each segment of the journal. */
  readonly epoch: number
  readonly instance: number
  readonly folder: string
  /**
   * The claim file and its inode. The owner keeps the file open, so no other file gets the same inode number.
   */
  readonly file: string
  readonly inode: string
}

export function inodeOf(file: string): string | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino.toString()
}

/** Returns true while this process owns the folder. */
export const isOwned = ({ file, inode }: Fence): boolean => inodeOf(file) === inode

/**
 * Throws if another process has taken over the folder. Call it before each change of a file and after each
 * sync.
 */
export function assertOwned(fence: Fence | undefined): void {
  if (fence !== undefined && !isOwned(fence)) throw fencedOut(fence.folder)
}

/** Creates the error of a process that no longer owns the folder. */
export function fencedOut(folder: string): StoreError {
  const reason = `Another process has taken over the data folder ${folder}, or the lock in it was removed.`
  return new StoreError('locked', `${reason} This process stops. All acknowledged writes are stored.`)
}
