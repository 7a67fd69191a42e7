import { KeyFileError } from '../auth/key-file.ts'
import type { Head } from './chain.ts'
import { chainKeyFile, type OwnChainKeys } from './chain-key.ts'
import { type HeadState, isHeadSigned } from './head-file.ts'
import type { KeyFit } from './segments.ts'

export type KeySituation = {
  readonly chainKeys: OwnChainKeys
  readonly fit: KeyFit
  readonly table: Head
  readonly head: HeadState
  /** True at the first start after a restore, whose log another key may have signed. */
  readonly isRestored: boolean
  readonly dataDir: string
}

/** Throws if the key signed nothing of the log. Saves a key that is new or has no checksum yet. */
export async function settleKeys(situation: KeySituation): Promise<void> {
  const { chainKeys, fit, table, isRestored, dataDir } = situation
  if (fit === 'none' && !isRestored && !chainKeys.isReplacement) {
    throw new KeyFileError(foreignKey(chainKeyFile(dataDir), table.id))
  }
  if (!chainKeys.isUnsaved) return
  if (chainKeys.isNew) {
    // Write the copy first. If only the key existed after a crash, the next start would refuse it as a
    // foreign key.
    if (table.id > 0) await chainKeys.keepCopy()
    await chainKeys.save()
    return
  }
  // Any 32 bytes could be a key, so the file is rewritten only once the key has verified a part of the log.
  if (isProven(situation)) await chainKeys.save()
}

const isProven = ({ chainKeys, fit, table, head }: KeySituation): boolean =>
  table.id > 0 ? fit !== 'none' : head.kind === 'read' && isHeadSigned(chainKeys.current, head.record)

const foreignKey = (file: string, entries: number): string =>
  [
    `The key file ${file} holds a key that sealed none of the ${entries} entries of the audit log.`,
    'Put back the copy of the right key and start again.',
    'Without a copy, move the file away and start again: a new key is made, the audit log records it, and the entries up to then cannot be verified until the old key is back.',
  ].join(' ')
