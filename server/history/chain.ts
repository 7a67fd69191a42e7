import { createHash, createHmac, type KeyObject } from 'node:crypto'
import type { AuditTable } from '../db/schema.ts'

/** An audit row before its seal is computed. */
export type UnsealedRow = Omit<AuditTable, 'hash'>
export type Head = { readonly id: number; readonly hash: string }

/** What the first entry follows. */
export const genesis: Head = { id: 0, hash: '0'.repeat(64) }

/** The sealed bytes: every column in this order. A new column goes to the end, and only when it is not null. */
function canonical(row: UnsealedRow): string {
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

/** HMAC-SHA-256 over the row and, through `prev_hash`, over everything before it. */
export function sealOf(key: KeyObject, row: UnsealedRow): string {
  return createHmac('sha256', key).update(canonical(row)).digest('hex')
}

/** Whether the row carries the seal it was written with; `asId` asks whether it would under another number. */
export function isSealed(key: KeyObject, row: AuditTable, asId: number = row.id): boolean {
  return sealOf(key, asId === row.id ? row : { ...row, id: asId }) === row.hash
}

/** Names a key without telling anything about it. */
export function keyIdOf(key: KeyObject): string {
  return createHmac('sha256', key).update('promptdeck audit key id').digest('hex').slice(0, 16)
}

/** One digest over many rows whatever key sealed them: what a restore from elsewhere is held to. */
export function createTableDigest() {
  const hash = createHash('sha256')
  return {
    add(row: AuditTable): void {
      hash.update(canonical(row)).update(row.hash)
    },
    end: (): string => hash.digest('hex'),
  }
}
