import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { z } from 'zod'
import { readFile } from '../../disk/promises.ts'
import type { Clock } from '../../lib/clock.ts'
import { isNoSpace } from '../../lib/files/no-space.ts'
import { withRemedy } from '../../lib/files/remedy.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'
import { type Head, keyIdOf } from './chain.ts'

export const headFile = (dataDir: string): string => join(dataDir, 'audit-head.json')

/**
 * A problem found at a start, or when an entry was added. It remains in the file until a restore, because the head of
 * the next entry would hide it.
 */
const Finding = z.strictObject({
  kind: z.enum(['cut_off', 'rewritten', 'head_missing', 'head_forged']),
  /** The first entry concerned. */
  id: z.int(),
  found_at: z.string(),
  detail: z.string(),
})
export type Finding = z.infer<typeof Finding>

/** The newest entry that is on disk, stored outside the table. */
const HeadRecord = z.strictObject({
  id: z.int().min(0),
  hash: z.string(),
  /** The newest sequence number. After a restore the next one must be higher. */
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

/** Reads the head file. Throws if the file exists but cannot be read from disk. */
export async function readHead(dataDir: string): Promise<HeadState> {
  const text = await readFile(headFile(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    const defaultRemedy =
      'Move it away, then start again: the report on the audit log then says that it was missing.'
    const message = `${headFile(dataDir)} cannot be read: ${error.message}`
    throw new Error(withRemedy(message, error, defaultRemedy), { cause: error })
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

/**
 * Returns true if the key signed the record. Without the key nobody can make the file refer to an older
 * entry, so a removed end of the log is detected.
 */
export function isHeadSigned(key: KeyObject, record: HeadRecord): boolean {
  const expected = Buffer.from(macOf(key, record))
  const actual = Buffer.from(record.mac)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/** Writes the head of the log to its file. */
export type HeadWriter = {
  /** Call it in commit order, once an entry is on disk. The first finding remains in the file. */
  update(head: Head, liveSeq: number, finding: Finding | null): void
  /** The record in the file, or the one to be written first while a full disk delays the first write. */
  current(): HeadRecord
  close(): Promise<void>
}

export type HeadWriterDeps = {
  readonly dataDir: string
  readonly key: KeyObject
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error'>
  readonly initial: { readonly head: Head; readonly liveSeq: number; readonly finding: Finding | null }
  /**
   * Delay before the file is written, in milliseconds. Together with the write it stays well below a second.
   */
  readonly delayMs?: number
  /** Called after the first write, which a full disk may delay. */
  readonly onFirstWrite?: () => void
}

/**
 * Creates a writer that updates the head file at most a second after the table. Writes the file once before
 * it resolves.
 */
export async function createHeadWriter(deps: HeadWriterDeps): Promise<HeadWriter> {
  const { dataDir, key, clock, logger, initial, delayMs = 250 } = deps
  const key_id = keyIdOf(key)
  const signed = (head: Head, liveSeq: number): HeadRecord => {
    const written_at = clock.now().toISOString()
    const record: Unsigned = { ...head, live_seq: liveSeq, key_id, written_at, finding }
    return { ...record, mac: macOf(key, record) }
  }
  let { head: newest, finding } = initial
  let newestSeq = initial.liveSeq
  let record = signed(newest, newestSeq)
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()
  let isBehind = false
  let isWritten = false

  const write = async () => {
    isBehind = false
    const next = signed(newest, newestSeq)
    await replaceFile(headFile(dataDir), `${JSON.stringify(next, null, 2)}\n`)
    record = next
    hasFailed = false
    if (!isWritten) deps.onFirstWrite?.()
    isWritten = true
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
    // Log only the first failure, so that a full disk is not filled with log lines.
    if (!hasFailed) logger.error({ err }, 'the head of the audit log could not be written; trying again')
    hasFailed = true
    isBehind = true
    schedule(1000)
  }
  // Start also on a full disk. The file refers to an older entry until it can be written.
  await write().catch((error: unknown) => {
    if (!isNoSpace(error)) throw error
    retry(error)
  })

  return {
    update({ id, hash }, liveSeq, found) {
      finding ??= found
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
        logger.error({ err: error }, 'the head of the audit log cannot be updated: the disk is full')
      })
    },
  }
}
