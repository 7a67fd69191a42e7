import type { KeyObject } from 'node:crypto'
import type { AuditTable } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'
import { entriesAfter, entryById, restoreEntries } from './audit.store.ts'
import { isSigned, keyIdOf } from './chain.ts'
import { type HeadState, isHeadSigned } from './head-file.ts'
import { tableHead } from './table-head.ts'

/** A genuine entry at which another key starts to sign the log. `digest` covers every row before it. */
export type Anchor = { readonly row: AuditTable; readonly key: KeyObject; readonly digest: string }

/** Consecutive entries that one key signed. */
export type Segment = {
  readonly from: number
  /** Inclusive. */
  readonly upTo: number
  /** Null if the key is unknown. */
  readonly key: KeyObject | null
  /** The entry after the segment, which contains its digest; null at the end of the log. */
  readonly next: Anchor | null
}

const signingKeyOf = (keys: readonly KeyObject[], row: AuditTable | undefined): KeyObject | null =>
  row === undefined ? null : (keys.find((key) => isSigned(key, row)) ?? null)

function digestOf(row: AuditTable): string | null {
  if (row.after === null) return null
  const after: unknown = JSON.parse(row.after)
  const digest = typeof after === 'object' && after !== null && 'digest' in after ? after.digest : null
  return typeof digest === 'string' ? digest : null
}

/** Returns the genuine entries at which the key changed, oldest first. */
async function anchorsOf(q: Query, keys: readonly KeyObject[]): Promise<Anchor[]> {
  const anchors: Anchor[] = []
  for (const row of await restoreEntries(q, {})) {
    const key = signingKeyOf(keys, row)
    if (key === null) continue
    const digest = digestOf(row)
    if (digest !== null) anchors.push({ row, key, digest })
  }
  return anchors.toReversed()
}

const firstRow = async (q: Query) =>
  (await entriesAfter(q, { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 1 }))[0]

/** Splits the log at each change of its key. */
export async function segmentsOf(q: Query, keys: readonly KeyObject[], upTo: number): Promise<Segment[]> {
  const anchors = await anchorsOf(q, keys)
  const [first = null] = anchors
  const firstKey =
    signingKeyOf(keys, await firstRow(q)) ??
    (first === null ? null : signingKeyOf(keys, await entryById(q, first.row.id - 1)))
  const segments: Segment[] = []
  let from = 1
  let key = firstKey
  for (const next of anchors) {
    if (next.row.id > from) segments.push({ from, upTo: next.row.id - 1, key, next })
    from = next.row.id
    key = next.key
  }
  segments.push({ from, upTo, key, next: null })
  return segments
}

/** The part of the log that the current key signed: its end, an earlier part, or nothing. */
export type KeyMatch = 'end' | 'earlier' | 'none'

const startsUnknownChain = (keys: readonly KeyObject[], row: AuditTable): boolean =>
  digestOf(row) !== null && signingKeyOf(keys, row) === null

/** Returns true if the row has the form of an entry for a change of the key, whichever key signed it. */
export const isAnchorShaped = (row: AuditTable): boolean =>
  row.action === 'restore' && row.actor_kind === 'system' && digestOf(row) !== null

/**
 * Returns the known key that signed the end of the log, or null. An edited row or a missing head file does
 * not make a key count as unknown.
 */
async function keyOfEnd(q: Query, keys: readonly KeyObject[], head: HeadState): Promise<KeyObject | null> {
  const { id } = await tableHead(q)
  const byLast = signingKeyOf(keys, await entryById(q, id))
  if (byLast !== null) return byLast
  if (head.kind === 'read') {
    const byHead = keys.find((key) => isHeadSigned(key, head.record))
    if (byHead !== undefined) return byHead
    if (!keys.some((key) => keyIdOf(key) === head.record.key_id)) return null
  }
  const [newest] = await restoreEntries(q, {})
  if (newest !== undefined && startsUnknownChain(keys, newest)) return null
  return (await segmentsOf(q, keys, id)).at(-1)?.key ?? null
}

/** Compares the current key with the log. `endKey` is the known key that signed the end of the log. */
export async function matchKey(
  q: Query,
  current: KeyObject,
  others: readonly KeyObject[],
  head: HeadState,
): Promise<{ readonly kind: KeyMatch; readonly endKey: KeyObject | null }> {
  const keys = [current, ...others.filter((other) => !other.equals(current))]
  if ((await tableHead(q)).id === 0) return { kind: 'end', endKey: current }
  const endKey = await keyOfEnd(q, keys, head)
  if (endKey?.equals(current)) return { kind: 'end', endKey }
  const segments = await segmentsOf(q, keys, (await tableHead(q)).id)
  const isEarlier = segments.some((segment) => segment.key?.equals(current))
  return { kind: isEarlier ? 'earlier' : 'none', endKey }
}
