import { createHash, createHmac, type KeyObject } from 'node:crypto'
import type { AuditTable } from '../../db/schema/schema.ts'

/** An audit row without its HMAC. */
export type UnsignedRow = Omit<AuditTable, 'hash'>
/** The newest entry of a chain. */
export type Head = { readonly id: number; readonly hash: string }

/** The head of an empty log, which the first entry follows. */
export const genesis: Head = { id: 0, hash: '0'.repeat(64) }

/**
 * Returns the signed text: every column in this order. Append a new column at the end, and only if it is not
 * null, so that old HMACs remain valid.
 */
function canonical(row: UnsignedRow): string {
  return JSON.stringify([
    row.id,
    row.created_at,
    row.actor,
    row.actor_id,
    row.actor_kind,
    row.action,
    row.resource,
    row.resource_id,
    row.key,
    row.workspace_id,
    row.summary,
    row.ip,
    row.request_id,
    row.before,
    row.after,
    row.prev_hash,
  ])
}

/** Returns the HMAC-SHA-256 of the row and, through `prev_hash`, of everything before it. */
export function hmacOf(key: KeyObject, row: UnsignedRow): string {
  return createHmac('sha256', key).update(canonical(row)).digest('hex')
}

/**
 * Returns true if the row has its original HMAC. With `asId`, checks whether the row was signed with that id.
 */
export function isSigned(key: KeyObject, row: AuditTable, asId: number = row.id): boolean {
  return hmacOf(key, asId === row.id ? row : { ...row, id: asId }) === row.hash
}

/** Returns an id of a key that reveals nothing about the key. */
export function keyIdOf(key: KeyObject): string {
  return createHmac('sha256', key).update('promptdeck audit key id').digest('hex').slice(0, 16)
}

/**
 * Creates one digest over many rows, independent of the keys that signed them. It verifies rows that another
 * key signed.
 */
export function createTableDigest() {
  const hash = createHash('sha256')
  return {
    add(row: AuditTable): void {
      hash.update(canonical(row)).update(row.hash)
    },
    end: (): string => hash.digest('hex'),
  }
}
