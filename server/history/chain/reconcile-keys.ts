import { KeyFileError } from '../../auth/key-file.ts'
import type { Head } from './chain.ts'
import { chainKeyFile, type ServiceChainKeys } from './chain-key.ts'
import { type HeadState, isHeadSigned } from './head-file.ts'
import type { KeyMatch } from './segments.ts'

export type KeyCheck = {
  readonly chainKeys: ServiceChainKeys
  readonly match: KeyMatch
  readonly table: Head
  readonly head: HeadState
  /** True at the first start after a restore, whose log another key may have signed. */
  readonly isRestored: boolean
  readonly dataDir: string
}

/** Throws if the key signed nothing of the log. Saves a key that is new or has no checksum yet. */
export async function reconcileKeys(check: KeyCheck): Promise<void> {
  const { chainKeys, match, table, isRestored, dataDir } = check
  if (match === 'none' && !isRestored && !chainKeys.isReplacement) {
    throw new KeyFileError(unknownKeyMessage(chainKeyFile(dataDir), table.id))
  }
  if (!chainKeys.isUnsaved) return
  if (chainKeys.isNew) {
    // Write the copy first. If only the key existed after a crash, the next start would refuse it as an
    // unknown key.
    if (table.id > 0) await chainKeys.saveCopy()
    await chainKeys.save()
    return
  }
  // Any 32 bytes could be a key, so the file is rewritten only once the key has verified a part of the log.
  if (isProven(check)) await chainKeys.save()
}

const isProven = ({ chainKeys, match, table, head }: KeyCheck): boolean =>
  table.id > 0 ? match !== 'none' : head.kind === 'read' && isHeadSigned(chainKeys.current, head.record)

const unknownKeyMessage = (file: string, entries: number): string =>
  [
    `The key file ${file} contains a key that did not sign any of the ${entries} entries of the audit log.`,
    'Restore a copy of the correct key and start again.',
    'Without a copy, move the file away and start again: a new key is created and recorded in the audit log, and earlier entries cannot be verified until the old key is restored.',
  ].join(' ')
