import { join } from 'node:path'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { isNoMemory, StoreError } from '../../../errors.ts'
import { fileNames, readFolder } from '../format/folder.ts'
import { type Replayed, replay } from '../journal/replay.ts'
import type { RecordGuard } from '../record/guard.ts'
import { checkDatabase, loadDatabaseFile, readSidecar } from '../snapshot/snapshot.ts'
import { createEngine, type Engine } from '../sqlite/engine.ts'
import { emptyDatabaseFile, openMemoryDatabase } from '../sqlite/memory-database.ts'
import type { SqlJs } from '../sqlite/sqljs.ts'
import { describeStore } from './found.ts'

/** The longest provable history in a folder: a valid snapshot, and the journal after it without a gap. */
export type Assessment = {
  readonly engine: Engine
  /** The name of its snapshot; null if it starts from the empty store. */
  readonly base: string | null
  /** Its last transaction. */
  readonly transaction: number
  /**
   * Reasons why it is incomplete: damage, gaps, and what is missing compared with the record. Empty if the
   * store is complete.
   */
  readonly problems: readonly string[]
}

export type AssessOptions = {
  readonly sql: SqlJs
  readonly folder: string
  readonly guard: RecordGuard
  /** Throws for a schema that this version does not know. */
  readonly checkSchema: (schema: number, file: string) => void
}

/** Reads the folder without changing it. The caller closes the engine. */
export function assessStore(options: AssessOptions): Assessment {
  const { folder, guard } = options
  const { snapshots: bases, segments, traces } = readFolder(folder)
  const problems = new Set<string>()
  const others = [...segments.map(fileNames.segment), ...traces]
  if (bases.length === 0 && others.length > 0)
    problems.add(`there is no snapshot, but there is ${others.slice(0, 3).join(', ')}`)
  const best = longestPrefix(options, bases, problems)
  const { engine, base, transaction } = best
  try {
    guard.accept(best.found)
    // A start uses an older snapshot by itself if the newest is damaged.
    if (best.isComplete && base !== null) problems.clear()
  } catch (error) {
    problems.add(messageOf(error))
  }
  return { engine, base, transaction, problems: [...problems] }
}

/** Returns the longest history that starts from one of the snapshots or from the empty store. */
function longestPrefix(options: AssessOptions, bases: readonly number[], problems: Set<string>): Prefix {
  let best: Prefix | undefined
  for (const base of [...bases.map(fileNames.snapshot), null]) {
    // Without a snapshot, the journal may still go back to the first transaction.
    if (base === null && best !== undefined) break
    const found = prefixFrom(options, base, problems)
    if (found === undefined) continue
    if (best !== undefined && best.transaction >= found.transaction) {
      found.engine.close()
      continue
    }
    best?.engine.close()
    best = found
    if (found.isComplete) break
  }
  if (best === undefined) throw new Error('the empty store cannot be built')
  return best
}

type Prefix = Omit<Assessment, 'problems'> & {
  readonly isComplete: boolean
  readonly found: ReturnType<typeof describeStore>
}

function prefixFrom(options: AssessOptions, base: string | null, problems: Set<string>): Prefix | undefined {
  const { folder } = options
  const files = readFolder(folder).segments.map((sequence) => join(folder, fileNames.segment(sequence)))
  const { hints } = options.guard
  const progress = { transaction: 0 }
  let opened = open(options, base, problems)
  if (opened === undefined) return undefined
  try {
    const replayed = replay(opened.engine, files, opened.transaction, { hints, progress })
    checkDatabase(opened.engine.database, base ?? 'the journal', 'integrity_check')
    return toPrefix(opened, replayed, true)
  } catch (error) {
    opened.engine.close()
    addDamage(problems, error)
  }
  // Replay again up to the last transaction that applied: a failed one rolls back those applied in the same
  // SQLite transaction.
  opened = open(options, base, problems)
  if (opened === undefined) return undefined
  try {
    const replayed = replay(opened.engine, files, opened.transaction, { hints, until: progress.transaction })
    checkDatabase(opened.engine.database, base ?? 'the journal', 'integrity_check')
    return toPrefix(opened, replayed, false)
  } catch (error) {
    opened.engine.close()
    addDamage(problems, error)
    return undefined
  }
}

function toPrefix(opened: Opened, replayed: Replayed, isComplete: boolean): Prefix {
  const found = describeStore(opened.engine, replayed)
  return { ...opened, transaction: replayed.transaction, isComplete, found }
}

/** Error codes of a file that may be intact but cannot be read now. */
const unreadableCodes = new Set(['EIO', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EBUSY', 'ENOMEM'])

/**
 * Adds the reason why a history is incomplete. Rethrows errors of memory and of reading, because they do not
 * prove damage.
 */
function addDamage(problems: Set<string>, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (unreadableCodes.has(code) || isNoMemory(error)) throw error
  problems.add(messageOf(error))
}

type Opened = { readonly engine: Engine; readonly base: string | null; readonly transaction: number }

function open(options: AssessOptions, base: string | null, problems: Set<string>): Opened | undefined {
  const { sql, folder, checkSchema } = options
  if (base === null) {
    const file = Buffer.from(emptyDatabaseFile(sql))
    return { engine: createEngine(openMemoryDatabase(sql, file, file.length)), base, transaction: 0 }
  }
  try {
    const file = join(folder, base)
    const loaded = loadDatabaseFile(sql, file, 0, readSidecar(folder, Number(/\d+/.exec(base)?.[0])))
    try {
      checkSchema(loaded.schema, file)
      checkDatabase(loaded.database, base, 'integrity_check')
    } catch (error) {
      loaded.database.close()
      throw error
    }
    return { engine: createEngine(loaded.database), base, transaction: loaded.transaction }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'newer_schema') throw error
    addDamage(problems, error)
    return undefined
  }
}
