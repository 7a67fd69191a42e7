import type { KeyObject } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChainReport } from '../../../contract/system/audit.ts'
import type { Query } from '../../db/types.ts'
import { entriesAfter } from '../chain/audit.store.ts'
import { genesis, type Head, isSigned, keyIdOf } from '../chain/chain.ts'
import { type ChainKeys, knownKeys } from '../chain/chain-key.ts'
import type { HeadState } from '../chain/head-file.ts'
import { type Anchor, isAnchorShaped, type Segment, segmentsOf } from '../chain/segments.ts'
import { tableHead } from '../chain/table-head.ts'
import { type Break, describeBreak } from './verify-break.ts'
import { checkHead, chunkRows, digestTable } from './verify-head.ts'

export type VerifyDeps = {
  readonly q: Query
  readonly keys: ChainKeys
  readonly head: () => Promise<HeadState>
  readonly now: Date
  /** Awaited every few milliseconds of work. It may wait, or throw to stop the verification. */
  readonly pause?: () => Promise<void>
}

/** A part of the log whose key is unknown. `anchor` follows it and contains its digest. */
type Gap = { readonly from: number; readonly anchor: Anchor }
type SegmentsResult = { readonly gap: Gap | null; readonly broken: Break | null }

const missingKeyReason =
  'The key file keys/audit.key is missing, so no entry can be verified. This does not indicate tampering. Restore the key from a copy. Without a copy, the service creates a new key at its next start and records this in the log.'
const unknownKeyReason =
  'The key in keys/audit.key did not sign the log, so no entry can be verified. This does not indicate tampering with entries. Restore the correct key.'

/**
 * Verifies the whole chain in small steps. Reports the first entry that is not as written, and what happened
 * to it.
 */
export async function verifyChain(deps: VerifyDeps): Promise<ChainReport> {
  const { q, keys, now } = deps
  // Read the head file first, so that it refers only to rows that are in the table already. Later rows cause
  // no finding.
  const headState = await deps.head()
  const table = await tableHead(q)
  const report = (
    status: ChainReport['status'],
    more: Partial<Pick<ChainReport, 'first_broken_id' | 'unverifiable_before' | 'reason'>> = {},
  ): ChainReport => ({
    ok: status === 'verified',
    status,
    entries: table.id,
    head: table.id === 0 ? null : table,
    first_broken_id: null,
    unverifiable_before: null,
    reason: null,
    ...more,
  })
  const unverifiable = (reason: string) =>
    report('unverifiable', { unverifiable_before: table.id + 1, reason })
  if (keys.current === null && table.id === 0 && headState.kind === 'missing') return report('verified')
  if (keys.current === null) return unverifiable(missingKeyReason)
  const segments = await segmentsOf(q, knownKeys(keys), table.id)
  if (table.id > 0 && segments.length === 1 && isKeyUnknown(keys, headState))
    return unverifiable(unknownKeyReason)

  const { gap, broken } = await verifySegments(deps, keys.current, segments)
  const unverifiable_before = gap?.anchor.row.id ?? null
  if (broken !== null) {
    return report('broken', { first_broken_id: broken.id, reason: broken.reason, unverifiable_before })
  }
  const finding = await checkHead(q, knownKeys(keys), headState, now)
  if (finding !== null) {
    const first_broken_id = finding.kind === 'head_missing' ? null : finding.id
    return report('broken', { first_broken_id, reason: finding.detail, unverifiable_before })
  }
  if (gap !== null) return report('unverifiable', { unverifiable_before, reason: gapReason(gap) })
  return report('verified', { reason: noteOf(keys.current, segments) })
}

const isKeyUnknown = (keys: ChainKeys, head: HeadState): boolean =>
  head.kind === 'read' && !knownKeys(keys).some((key) => keyIdOf(key) === head.record.key_id)

function gapReason({ from, anchor: { row } }: Gap): string {
  const last = row.id - 1
  const entries = from === last ? `Entry ${last} was` : `Entries ${from} to ${last} were`
  const known = `${entries} signed with another key that is not in the keys folder. They are unchanged since entry ${row.id}; their earlier state cannot be verified.`
  const why =
    row.resource === 'backup'
      ? 'A backup of another installation was restored.'
      : 'The key was lost or replaced; this alone does not indicate tampering.'
  return `${known} ${why} To verify them, put that key into the keys folder as keys/audit-old.key and start again.`
}

/** Returns a note about entries that were verified with other keys than the current one, or null. */
function noteOf(current: KeyObject, segments: readonly Segment[]): string | null {
  const parts = segments.flatMap(({ from, upTo, key }) =>
    key === null || key.equals(current) ? [] : [`entries ${from} to ${upTo} with the key ${keyIdOf(key)}`],
  )
  if (parts.length === 0) return null
  return `Some entries were signed with other keys in the keys folder and were verified: ${parts.join(', ')}.`
}

async function verifySegments(
  { q, pause = nextTurn }: VerifyDeps,
  current: KeyObject,
  segments: readonly Segment[],
): Promise<SegmentsResult> {
  let previous: Head = genesis
  let gap: Gap | null = null
  for (const segment of segments) {
    const { next } = segment
    const end = await endOf(q, current, segment, previous, pause)
    if (end.kind === 'broken') return { gap, broken: end.broken }
    if (end.kind === 'whole') previous = end.last
    if (end.kind === 'whole' || next === null) continue
    if ((await digestTable(q, next.row.id - 1, pause)) !== next.digest) {
      const { id } = next.row
      const reason = `An entry before ${id} was changed, added or removed after the chain started anew at entry ${id}`
      return { gap, broken: { id: null, reason } }
    }
    gap = { from: end.from, anchor: next }
    previous = { id: next.row.id - 1, hash: next.row.prev_hash }
  }
  return { gap, broken: null }
}

/**
 * Verifies a segment with its key. If the key of the last segment is unknown, the current key verifies it.
 */
async function endOf(
  q: Query,
  current: KeyObject,
  { from, upTo, key: signingKey, next }: Segment,
  previous: Head,
  pause: () => Promise<void>,
): Promise<SegmentEnd> {
  const key = signingKey ?? (next === null ? current : null)
  if (key === null) return { kind: 'unknown_key', from }
  return verifySegment({ q, key, previous, upTo, isFollowed: next !== null, pause })
}

type SegmentEnd =
  | { readonly kind: 'whole'; readonly last: Head }
  | { readonly kind: 'broken'; readonly broken: Break }
  /** An unknown key signed the entries from here on. */
  | { readonly kind: 'unknown_key'; readonly from: number }

async function verifySegment(segment: {
  readonly q: Query
  readonly key: KeyObject
  readonly previous: Head
  readonly upTo: number
  /** True if a genuine entry with the digest of these rows follows. */
  readonly isFollowed: boolean
  readonly pause: () => Promise<void>
}): Promise<SegmentEnd> {
  const { q, key, upTo, isFollowed, pause } = segment
  let previous = segment.previous
  for (;;) {
    const rows = await entriesAfter(q, { after: previous.id, upTo, limit: chunkRows })
    for (const row of rows) {
      const isNext = row.id === previous.id + 1 && row.prev_hash === previous.hash
      const isGenuine = isNext && isSigned(key, row)
      if (!isGenuine && isNext && isFollowed && isAnchorShaped(row))
        return { kind: 'unknown_key', from: row.id }
      if (!isGenuine) {
        return { kind: 'broken', broken: await describeBreak({ q, key, row, previous, upTo, pause }) }
      }
      previous = row
    }
    if (rows.length === 0) return { kind: 'whole', last: previous }
    await pause()
  }
}
