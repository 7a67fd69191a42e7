import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { z } from 'zod'
import { readFile } from '../disk/promises.ts'
import type { Clock } from '../lib/clock.ts'
import { isNoSpace } from '../lib/no-space.ts'
import { replaceFile } from '../lib/replace-file.ts'
import { type Head, keyIdOf } from './chain.ts'

export const headFile = (dataDir: string): string => join(dataDir, 'audit-head.json')

/** What was found wrong at a start. It stays until a restore, or the next entry would cover the tracks. */
const Finding = z.strictObject({
  kind: z.enum(['cut_off', 'rewritten', 'head_missing', 'head_forged']),
  /** The first entry it concerns. */
  id: z.int(),
  found_at: z.string(),
  detail: z.string(),
})
export type Finding = z.infer<typeof Finding>

/** The newest entry as it was after a sync, outside the table it speaks for. */
const HeadRecord = z.strictObject({
  id: z.int().min(0),
  hash: z.string(),
  /** The newest live sequence number: after a restore the next one must be beyond it. */
  live_seq: z.int().min(0),
  key_id: z.string(),
  written_at: z.string(),
  finding: Finding.nullable(),
  mac: z.string(),
})
export type HeadRecord = z.infer<typeof HeadRecord>

export type HeadState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'read'; readonly record: HeadRecord }

export async function readHead(dataDir: string): Promise<HeadState> {
  const text = await readFile(headFile(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    const wayOut =
      error.code === 'EACCES' || error.code === 'EPERM'
        ? 'Give the user of this service access to it, then start again.'
        : 'Move it away, then start again: the report on the audit log then says that it was missing.'
    throw new Error(`${headFile(dataDir)} cannot be read: ${error.message}. ${wayOut}`, { cause: error })
  })
  if (text === null) return { kind: 'missing' }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { kind: 'unreadable' }
  }
  const parsed = HeadRecord.safeParse(json)
  return parsed.success ? { kind: 'read', record: parsed.data } : { kind: 'unreadable' }
}

type Unsigned = Omit<HeadRecord, 'mac'>

function macOf(key: KeyObject, record: Unsigned): string {
  const { id, hash, live_seq, key_id, written_at, finding } = record
  const signed = JSON.stringify(['head', id, hash, live_seq, key_id, written_at, finding])
  return createHmac('sha256', key).update(signed).digest('hex')
}

/** Without the key nobody can make the file point at an older entry, so a cut-off tail shows. */
export function isHeadSigned(key: KeyObject, record: HeadRecord): boolean {
  const expected = Buffer.from(macOf(key, record))
  const given = Buffer.from(record.mac)
  return expected.length === given.length && timingSafeEqual(expected, given)
}

export type HeadMirror = {
  /** Called in commit order once an entry is on disk. */
  update(head: Head, liveSeq: number): void
  current(): HeadRecord
  close(): Promise<void>
}

export type HeadMirrorDeps = {
  readonly dataDir: string
  readonly key: KeyObject
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error'>
  readonly initial: { readonly head: Head; readonly liveSeq: number; readonly finding: Finding | null }
  /** How long changes are gathered before the file is written; with the write itself well under a second. */
  readonly delayMs?: number
}

/** Keeps the head file at most a second behind the table; writes it once before it returns. */
export async function createHeadMirror(deps: HeadMirrorDeps): Promise<HeadMirror> {
  const { dataDir, key, clock, logger, initial, delayMs = 250 } = deps
  const key_id = keyIdOf(key)
  const signed = (head: Head, liveSeq: number): HeadRecord => {
    const written_at = clock.now().toISOString()
    const record: Unsigned = { ...head, live_seq: liveSeq, key_id, written_at, finding: initial.finding }
    return { ...record, mac: macOf(key, record) }
  }
  let newest = initial.head
  let newestSeq = initial.liveSeq
  let record = signed(newest, newestSeq)
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()
  let isBehind = false

  const write = async () => {
    isBehind = false
    const next = signed(newest, newestSeq)
    await replaceFile(headFile(dataDir), `${JSON.stringify(next, null, 2)}\n`)
    record = next
    hasFailed = false
  }
  const schedule = (ms: number) => {
    timer ??= setTimeout(() => {
      timer = null
      writing = writing.then(write).catch(retry)
    }, ms)
    timer.unref()
  }
  let hasFailed = false
  function retry(err: unknown): void {
    // Once: a full disk must not fill with lines about it.
    if (!hasFailed) logger.error({ err }, 'the head of the audit log could not be written; trying again')
    hasFailed = true
    isBehind = true
    schedule(1000)
  }
  // A full disk is no reason not to start: the file speaks of an older entry until it can be written.
  await write().catch((error: unknown) => {
    if (!isNoSpace(error)) throw error
    retry(error)
  })

  return {
    update({ id, hash }, liveSeq) {
      newest = { id, hash }
      newestSeq = liveSeq
      isBehind = true
      schedule(delayMs)
    },
    current: () => record,
    async close() {
      if (timer !== null) clearTimeout(timer)
      timer = null
      await writing
      if (timer !== null) clearTimeout(timer)
      if (!isBehind) return
      await write().catch((error: unknown) => {
        if (!isNoSpace(error)) throw error
        logger.error({ err: error }, 'the head of the audit log stays behind: the disk is full')
      })
    },
  }
}
