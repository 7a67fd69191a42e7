import { createHmac, type KeyObject } from 'node:crypto'
import type { Db } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { dayMs } from '../../lib/durations.ts'
import { fail, invalid, isUncertain } from '../../lib/fail.ts'
import { accessText } from '../../lib/scope.ts'
import type { DeletionClock } from '../../retention/deletion-clock.ts'
import {
  deleteKey,
  deleteOld,
  findReply,
  type IdempotencyKey,
  insertPending,
  type Reply,
  type StoredReply,
  storeReply,
} from './idempotency.store.ts'
import { createPrivateReplies } from './private-replies.ts'

const retentionMs = dayMs
/** Maximum number of characters of a stored reply. Replies to creating or publishing are far shorter. */
const maxReplyLength = 512 * 1024
/** Maximum number of keys to remember whose release failed. */
const maxUnreleased = 1000

export type Idempotency = {
  /** Runs `work` once per key. A repetition gets the first reply, a repetition with another body a 409. */
  once(
    ctx: Context,
    request: {
      readonly name: string
      readonly key: string | undefined
      /** The reply is not written to disk. */
      readonly isPrivate: boolean
      /** Aborts if the caller disconnects, which cancels the work. */
      readonly left: AbortSignal | null
    },
    body: unknown,
    work: () => Promise<Reply>,
  ): Promise<Reply>
}

export type IdempotencyDeps = {
  readonly db: Db
  readonly deletion: Pick<DeletionClock, 'now'>
  /** The key of the HMAC of stored bodies: they may contain secrets, which a plain hash would help to guess. */
  readonly bodyKey: KeyObject
}

const nameOf = ({ actor, route, key }: IdempotencyKey) => JSON.stringify([actor, route, key])
const mismatch = (detail: string) => fail('idempotency.mismatch', { detail })
const otherBody = () =>
  mismatch('This Idempotency-Key was used with a different body, or before your access was changed.')

/** Returns the reply of the first request. Throws 409 if the body differs or the reply is not available. */
function repeatedReply(
  first: NonNullable<Awaited<ReturnType<typeof findReply>>>,
  bodyHash: string,
  privateReply: Reply | undefined,
): Reply {
  if (first.body_hash !== bodyHash) throw otherBody()
  if (privateReply !== undefined) return privateReply
  if (first.status === 0)
    throw mismatch(
      'The first request with this Idempotency-Key was interrupted, or is still running. Check whether it took effect, then use a new key.',
    )
  if (first.reply === '')
    throw mismatch(
      'The first request with this Idempotency-Key took effect, but its reply is no longer stored. Read the changed resource, or find the run in the run log.',
    )
  return { status: first.status, json: first.reply }
}

/** Releases keys of failed attempts. Remembers those that could not be released, so that a repetition does it. */
function createReleases(db: Db) {
  const createdAt = new Map<string, number>()
  return {
    async release(id: IdempotencyKey, at: Date): Promise<void> {
      const write = db.write(({ q }) => deleteKey(q, id), { evenWhenFull: true })
      await write.catch((error: unknown) => {
        if (createdAt.size === maxUnreleased) createdAt.clear()
        createdAt.set(nameOf(id), at.getTime())
        throw error
      })
    },
    /** Returns false also if another instance has stored the key since. */
    isDue: (id: IdempotencyKey, { status, created_at }: StoredReply): boolean =>
      status === 0 && createdAt.get(nameOf(id)) === created_at,
  }
}

/** Returns a function that stores the key before the work and the reply after it. A failed attempt releases its key. */
function createAttempt({ db, deletion }: Pick<IdempotencyDeps, 'db' | 'deletion'>) {
  const privateReplies = createPrivateReplies()
  const releases = createReleases(db)

  /** Stores the key, or returns what is stored of its first request. */
  const claim = (id: IdempotencyKey, bodyHash: string, createdAt: Date) =>
    db.write(async ({ q }) => {
      // While deletion is paused, no key expires.
      const before = (deletion.now()?.getTime() ?? 0) - retentionMs
      await deleteOld(q, before)
      const found = await findReply(q, id)
      if (found !== undefined && found.created_at >= before && !releases.isDue(id, found)) return found
      // `deleteOld` deletes few keys at a time, so an expired one may still be stored.
      if (found !== undefined) await deleteKey(q, id)
      await insertPending(q, id, bodyHash, createdAt.getTime())
      return undefined
    })

  return async (
    ctx: Context,
    id: IdempotencyKey,
    bodyHash: string,
    isPrivate: boolean,
    work: () => Promise<Reply>,
  ): Promise<Reply> => {
    const privateReply = privateReplies.find(id, ctx.now)
    const first = await claim(id, bodyHash, ctx.now)
    if (first) return repeatedReply(first, bodyHash, privateReply)
    const reply = await work().catch(async (error: unknown) => {
      // If it may have taken effect, it must not run again.
      if (!isUncertain(error)) await releases.release(id, ctx.now)
      throw error
    })
    if (isPrivate) privateReplies.store(id, reply, ctx.now)
    // Store the status also if the reply is private or too large, and in a store that the work has filled: a
    // repetition must not run again.
    const isStored = !isPrivate && reply.json.length <= maxReplyLength
    await db.write(({ q }) => storeReply(q, id, reply.status, isStored ? reply.json : ''), {
      evenWhenFull: true,
    })
    return reply
  }
}

type Running = {
  readonly bodyHash: string
  readonly left: AbortSignal | null
  readonly reply: Promise<Reply>
}

/**
 * Runs requests with an Idempotency-Key once. If the service ends within one, it is unknown whether it took effect: a
 * repetition gets a 409 instead of running again. If the caller disconnected, requests that wait for the reply run in
 * its place.
 */
export function createIdempotency({ bodyKey, ...deps }: IdempotencyDeps): Idempotency {
  const attempt = createAttempt(deps)
  const inFlight = new Map<string, Running>()
  const idempotency: Idempotency = {
    async once(ctx, request, body, work) {
      const { name: route, key, isPrivate, left } = request
      if (key === undefined) return work()
      if (!/^[\x21-\x7e]{1,255}$/.test(key))
        throw invalid('Idempotency-Key', '1 to 255 visible ASCII characters')
      const actor = `${ctx.actor.kind}:${ctx.actor.id ?? ctx.actor.name}`
      const bodyHash = createHmac('sha256', bodyKey)
        .update(JSON.stringify(body) ?? '')
        // A repetition skips the checks of the handler, so it needs the same access.
        .update(accessText(ctx.scope))
        .digest('base64url')
      const name = nameOf({ actor, route, key })
      const running = inFlight.get(name)
      if (running) {
        if (running.bodyHash !== bodyHash) throw otherBody()
        return running.reply.catch((error: unknown) => {
          if (running.left?.aborted !== true) throw error
          return idempotency.once(ctx, request, body, work)
        })
      }
      const reply = attempt(ctx, { actor, route, key }, bodyHash, isPrivate, work)
      inFlight.set(name, { bodyHash, left, reply })
      return reply.finally(() => inFlight.delete(name))
    },
  }
  return idempotency
}
