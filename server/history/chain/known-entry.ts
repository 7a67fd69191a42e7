import { knownKeys, readChainKeys } from './chain-key.ts'
import { isHeadSigned, readHead } from './head-file.ts'

/**
 * Returns the newest audit entry that the signed head file proves; null if file or key prove nothing. The
 * file is written after the entry is durable, so a store without that entry has lost it.
 */
export async function knownAuditEntry(dataDir: string): Promise<number | null> {
  const head = await readHead(dataDir)
  if (head.kind !== 'read') return null
  const { record } = head
  const keys = knownKeys(await readChainKeys(dataDir))
  return keys.some((key) => isHeadSigned(key, record)) ? record.id : null
}
