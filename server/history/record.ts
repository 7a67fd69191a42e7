import type { KeyObject } from 'node:crypto'
import type { Query, Tx } from '../db/types.ts'
import type { Context } from '../lib/context.ts'
import { plainText } from '../lib/text/plain-text.ts'
import { wordsOf } from '../lib/text/words.ts'
import { indexWords, insertEntry, newestEntry } from './chain/audit.store.ts'
import { genesis, type Head, hmacOf, type UnsignedRow } from './chain/chain.ts'
import type { Finding } from './chain/head-file.ts'
import { changesOf } from './changes.ts'
import type { Announcement, Bus, NumberedFrame } from './events/bus.ts'
import { advanceLiveSeq, insertEvent, liveSeq } from './events/events.store.ts'
import type { ChangeAnnouncer, FrameResender, History, HistoryEvent } from './history.ts'

type Announced = Extract<Announcement, { kind: 'frame' }>

/** Maximum lengths in the log, in UTF-16 code units. */
const maxLengths = { summary: 500, name: 128, key: 200, id: 128, ip: 64 }

const textOrNull = (text: string | null | undefined, max: number): string | null =>
  text === null || text === undefined || text === '' ? null : plainText(text, max)

/** Returns the summary of an entry, which ends with the MCP client of the request. */
function summaryOf({ mcpClient }: Context, { summary }: HistoryEvent): string {
  if (mcpClient === undefined) return plainText(summary, maxLengths.summary)
  const client = ` (MCP client ${plainText(mcpClient, maxLengths.name)})`
  return plainText(summary, maxLengths.summary - client.length) + client
}

function unsignedRow(ctx: Context, event: HistoryEvent, last: Head, notBefore: number): UnsignedRow {
  const actor = event.actor ?? ctx.actor
  return {
    id: last.id + 1,
    // Never decreases, even if the clock is behind, so that a time range is a range of ids.
    created_at: Math.max(ctx.now.getTime(), notBefore),
    actor: plainText(actor.name, maxLengths.name),
    actor_id: textOrNull(actor.id, maxLengths.id),
    actor_kind: actor.kind,
    action: event.action,
    resource: event.resource,
    resource_id: textOrNull(event.resourceId, maxLengths.id),
    key: textOrNull(event.key, maxLengths.key),
    workspace_id: textOrNull(event.workspaceId, maxLengths.id),
    summary: summaryOf(ctx, event),
    ip: textOrNull(ctx.ip, maxLengths.ip),
    request_id: textOrNull(ctx.requestId, maxLengths.id),
    ...changesOf(event.before, event.after),
    prev_hash: last.hash,
  }
}

/** Returns the frames of an event in sending order: those for SDKs, then those for consoles. */
function framesOf(ctx: Context, event: HistoryEvent, auditId: number, seq: number): Announced[] {
  const { promptEvents = [], resourceId } = event
  const place = placeOf(event)
  const frames: Announced[] = []
  const add = (
    frame: Omit<NumberedFrame, 'seq'>,
    namespace: string | null,
    place: Place,
    userIds: readonly string[] = [],
  ) => {
    const numbered = { ...frame, seq: seq + frames.length + 1 } as NumberedFrame
    frames.push({
      kind: 'frame',
      frame: numbered,
      namespace,
      ...place,
      ...(userIds.length > 0 && { userIds }),
    })
  }
  for (const promptEvent of promptEvents)
    add(promptEvent, promptEvent.env, { workspaceId: promptEvent.workspace_id })
  const entity = event.changed ?? event.resource
  const userId = event.userId ?? (event.resource === 'user' ? resourceId : null)
  const userIds = userId === null ? [] : [userId]
  if (entity !== 'audit') add(changed(entity, resourceId), null, place, userIds)
  if (event.alsoChanged !== undefined) add(changed(event.alsoChanged, null), null, place)
  // The entry about two workspaces is visible only to those who see both.
  add(changed('audit', String(auditId)), null, place, userIdsOfEntry(event, ctx))
  return frames
}

type Place = Pick<Announced, 'workspaceId' | 'fromWorkspaceId'>

/** Returns the workspace of an event, and the one that its item was moved out of. */
function placeOf({ workspaceId = null, before }: HistoryEvent): Place {
  const from = before?.['workspace_id']
  const isMoved = typeof from === 'string' && workspaceId !== null && from !== workspaceId
  return { workspaceId, ...(isMoved && { fromWorkspaceId: from }) }
}

/** Returns the users who see the entry as one of their own account: the user that it is about, and its actor. */
function userIdsOfEntry(event: HistoryEvent, ctx: Context): readonly string[] {
  const { kind, id } = event.actor ?? ctx.actor
  const concerned = event.resource === 'user' && event.resourceId !== null ? [event.resourceId] : []
  return kind === 'user' && id !== null ? [...concerned, id] : concerned
}

const changed = (entity: string, id: string | null) =>
  ({ type: 'changed', entity, id }) as Omit<NumberedFrame, 'seq'>

async function storeFrame(
  tx: Tx,
  { frame, namespace, workspaceId, fromWorkspaceId, userIds, clientIds }: Announced,
  createdAt: number,
): Promise<void> {
  const { seq, ...payload } = frame
  const isChanged = frame.type === 'changed'
  await insertEvent(tx.q, {
    seq,
    type: frame.type,
    entity: isChanged ? frame.entity : 'prompt',
    entity_id: frame.type === 'resync' ? null : frame.id,
    workspace_id: workspaceId,
    from_workspace_id: fromWorkspaceId ?? null,
    namespace,
    user_id: userIds?.[0] ?? null,
    payload: JSON.stringify(payload),
    created_at: createdAt,
    client_ids: clientIds === undefined ? null : JSON.stringify([...clientIds]),
  })
}

export type RecorderDeps = {
  readonly bus: Bus
  /** True if other instances read frames from the table: then those that are sent again are stored, too. */
  readonly isShared: boolean
  readonly key: KeyObject
  /** Compares the newest entry of the table with the one that this process knows. */
  readonly checkNewest: (q: Query, newest: Head, now: Date) => Promise<Finding | null>
  /** Called for each entry once it is on disk, in commit order. */
  readonly onDurable: (head: Head, liveSeq: number, finding: Finding | null) => void
}

/**
 * Creates the recorder. It appends an audit row to the HMAC chain, and its live frames, in the caller's
 * transaction.
 */
export function createRecorder({
  bus,
  isShared,
  key,
  checkNewest,
  onDurable,
}: RecorderDeps): History & FrameResender & ChangeAnnouncer {
  /**
   * Serializes the entries of a transaction: two must not follow the same row, nor two frames have the same
   * number.
   */
  const queues = new WeakMap<Tx, Promise<void>>()

  const recordNow = async (tx: Tx, ctx: Context, event: HistoryEvent) => {
    const last = await newestEntry(tx.q)
    const finding = await checkNewest(tx.q, last ?? genesis, ctx.now)
    const row = unsignedRow(ctx, event, last ?? genesis, last?.created_at ?? 0)
    const hash = hmacOf(key, row)
    await insertEntry(tx.q, { ...row, hash })
    const { actor, action, resource, summary } = row
    await indexWords(tx.q, row.id, wordsOf(`${actor} ${action} ${resource} ${row.key ?? ''} ${summary}`))

    const before = await liveSeq(tx.q)
    const frames = framesOf(ctx, event, row.id, before)
    for (const frame of frames) await storeFrame(tx, frame, row.created_at)
    const after = before + frames.length
    await advanceLiveSeq(tx.q, after)

    tx.afterCommit(() => {
      onDurable({ id: row.id, hash }, after, finding)
      for (const frame of frames) bus.announce(frame)
    })
  }

  const runSerially = (tx: Tx, work: () => Promise<void>): Promise<void> => {
    // A failed entry was rolled back with its savepoint, or the transaction will be. It must not fail the
    // next entry.
    const before = (queues.get(tx) ?? Promise.resolve()).catch(() => undefined)
    const result = before.then(work)
    queues.set(tx, result)
    return result
  }

  return {
    record: (tx, ctx, event) => runSerially(tx, () => recordNow(tx, ctx, event)),
    announce: (tx, { entity, id, workspaceId, at }) =>
      runSerially(tx, async () => {
        const seq = (await liveSeq(tx.q)) + 1
        const frame = { ...changed(entity, id), seq } as NumberedFrame
        const announced: Announced = { kind: 'frame', frame, namespace: null, workspaceId }
        await storeFrame(tx, announced, at.getTime())
        await advanceLiveSeq(tx.q, seq)
        tx.afterCommit(() => bus.announce(announced))
      }),
    resend: (tx, event, clientIds, now) =>
      runSerially(tx, async () => {
        const seq = (await liveSeq(tx.q)) + 1
        const { env: namespace, workspace_id: workspaceId } = event
        const frame = { ...event, seq }
        const announced: Announced = { kind: 'frame', frame, namespace, workspaceId, clientIds }
        if (isShared) await storeFrame(tx, announced, now.getTime())
        await advanceLiveSeq(tx.q, seq)
        tx.afterCommit(() => bus.announce(announced))
      }),
  }
}
