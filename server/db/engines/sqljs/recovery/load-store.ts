import { basename, join } from 'node:path'
import { syncFolder } from '../../../../disk/durable.ts'
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from '../../../../disk/fs.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { isNoMemory, StoreError } from '../../../errors.ts'
import type { StoreLogger } from '../../../types.ts'
import { fileNames, fileStamp, readFolder } from '../format/folder.ts'
import { encodeMark, readSegment } from '../format/segment.ts'
import type { ClosedSegment } from '../journal/journal.ts'
import { type Replayed, replay } from '../journal/replay.ts'
import type { Fence } from '../lock/fence.ts'
import type { RecordGuard } from '../record/guard.ts'
import { checkDatabase, loadDatabaseFile, readSidecar, writeSnapshot } from '../snapshot/snapshot.ts'
import { createEngine, type Engine } from '../sqlite/engine.ts'
import {
  allocateBuffer,
  bufferSizeFor,
  emptyDatabaseFile,
  openMemoryDatabase,
} from '../sqlite/memory-database.ts'
import type { SqlJs } from '../sqlite/sqljs.ts'
import { describeStore, repairHeader } from './found.ts'

export type LoadedStore = {
  readonly engine: Engine
  /** The last transaction in the store. `generation` is that of the snapshot it was read from. */
  readonly transaction: number
  readonly generation: number
  readonly nextSequence: number
  readonly closed: readonly ClosedSegment[]
  readonly replayed: { readonly count: number; readonly bytes: number }
  readonly isNew: boolean
  /** True if the newest snapshot could not be used. The start then writes a new one. */
  readonly usesOlderSnapshot: boolean
}

type Options = {
  readonly sql: SqlJs
  readonly folder: string
  readonly limitBytes: number
  readonly logger: StoreLogger
  readonly now: Date
  readonly fence: Fence
  /** Throws for a schema that this version does not know. An older generation would not help. */
  readonly checkSchema: (schema: number, file: string) => void
  /** Throws for a store with less than was acknowledged, before anything in it is changed. */
  readonly guard: RecordGuard
}

/**
 * Reads the state of the folder: the newest snapshot that verifies, and the journal after it. Creates a store
 * only in a folder that never had one. Deletes nothing but unfinished and unused files.
 */
export function loadStore(options: Options): LoadedStore {
  const { folder, logger } = options
  const content = readFolder(folder)
  if (content.snapshots.length === 0) return createStore(options)

  const problems: unknown[] = []
  for (const generation of content.snapshots) {
    try {
      const opened = openGeneration(options, generation, content.segments)
      setAside(
        options,
        content.snapshots
          .filter((newer) => newer > generation)
          .flatMap((newer) => [fileNames.snapshot(newer), fileNames.sidecar(newer)]),
      )
      removeTemporary(options, content.temporary)
      return { ...opened, usesOlderSnapshot: problems.length > 0 }
    } catch (error) {
      if (error instanceof StoreError && error.code === 'newer_schema') throw error
      if (isNoMemory(error)) throw error
      problems.push(error)
      logger.error(
        { generation, reason: messageOf(error) },
        'a snapshot cannot be used, trying the one before it',
      )
    }
  }
  const [first] = problems
  if (problems.every((problem) => problem instanceof StoreError && problem.code === 'incomplete')) throw first
  throw cannotOpen(folder, problems.map(messageOf))
}

/** Removes unfinished files. A file that cannot be removed does no harm, and must not make a snapshot count as damaged. */
function removeTemporary(
  { folder, logger }: Pick<Options, 'folder' | 'logger'>,
  names: readonly string[],
): void {
  for (const name of names) {
    try {
      rmSync(join(folder, name), { force: true })
      logger.warn({ file: name }, 'removed an unfinished file of an earlier run')
    } catch (error) {
      const details = { file: name, reason: messageOf(error) }
      logger.warn(details, 'an unfinished file of an earlier run cannot be removed')
    }
  }
}

function createStore({ sql, folder, limitBytes, logger, now, fence, guard }: Options): LoadedStore {
  const { segments, traces, temporary } = readFolder(folder)
  const found = [...segments.map(fileNames.segment), ...traces]
  if (found.length > 0)
    throw cannotOpen(folder, [`there is no snapshot, but there is ${found.slice(0, 3).join(', ')}`])
  guard.accept({ transaction: 0, segments: [], auditEntry: 0 })
  removeTemporary({ folder, logger }, temporary)
  const file = emptyDatabaseFile(sql)
  const buffer = allocateBuffer(file.length, bufferSizeFor(file.length, limitBytes))
  buffer.set(file)
  const database = openMemoryDatabase(sql, buffer, file.length)
  writeSnapshot({ folder, generation: 1, database, transaction: 0, now, fence })
  return {
    engine: createEngine(database),
    transaction: 0,
    generation: 1,
    nextSequence: 1,
    closed: [],
    replayed: { count: 0, bytes: 0 },
    isNew: true,
    usesOlderSnapshot: false,
  }
}

function openGeneration(
  options: Options,
  generation: number,
  sequences: readonly number[],
): Omit<LoadedStore, 'usesOlderSnapshot'> {
  const { sql, folder, limitBytes, logger } = options
  const name = fileNames.snapshot(generation)
  const sidecar = readSidecar(folder, generation)
  const loaded = loadDatabaseFile(sql, join(folder, name), limitBytes, sidecar)
  const engine = createEngine(loaded.database)
  try {
    options.checkSchema(loaded.schema, join(folder, name))
    // Without a checksum, only the structure of the file shows whether it is complete. A file with one was checked
    // before it was written.
    if (sidecar === undefined) checkDatabase(loaded.database, name, 'integrity_check')
    const files = sequences.map((sequence) => join(folder, fileNames.segment(sequence)))
    const replayed = replay(engine, files, loaded.transaction, { hints: options.guard.hints })
    options.guard.accept(describeStore(engine, replayed))
    for (const segment of replayed.repairable) repairHeader(folder, segment, logger)
    setAside(
      options,
      replayed.unneeded.map((file) => basename(file)),
    )
    closeTail(replayed.tail, replayed.transaction, logger)
    return {
      engine,
      transaction: replayed.transaction,
      generation,
      nextSequence: (sequences.at(-1) ?? 0) + 1,
      closed: removeUnused(folder, sequences, replayed),
      replayed: { count: replayed.count, bytes: replayed.bytes },
      isNew: false,
    }
  } catch (error) {
    engine.close()
    throw error
  }
}

/**
 * Removes segments that were preallocated and never used. Returns the others, which later snapshots include.
 */
function removeUnused(folder: string, sequences: readonly number[], replayed: Replayed): ClosedSegment[] {
  const closed: ClosedSegment[] = []
  for (const sequence of sequences) {
    const file = join(folder, fileNames.segment(sequence))
    const used = replayed.used.find((segment) => segment.file === file)
    if (used === undefined) rmSync(file, { force: true })
    else closed.push({ file, sequence, end: used.end })
  }
  return closed
}

/**
 * Writes the end of the last segment into its mark. What follows was never acknowledged, and must not be read
 * as records after the same transaction numbers are used again.
 */
function closeTail(tail: Replayed['tail'], transaction: number, logger: StoreLogger): void {
  if (tail === undefined || tail.isClosed) return
  const segment = readSegment(tail.file)
  if (segment?.mark === undefined) return
  if (tail.hasInvalidBytes)
    logger.warn({ file: tail.file, offset: tail.offset }, 'cut an unacknowledged tail off the journal')
  const { bytes, at } = encodeMark(
    {
      count: segment.mark.count + 1,
      start: segment.mark.start,
      offset: tail.offset,
      transaction,
      isClosed: true,
    },
    segment.header.salt,
  )
  const handle = openSync(tail.file, 'r+')
  try {
    writeSync(handle, bytes, 0, bytes.length, at)
    fsyncSync(handle)
    // Only zeros follow. Release the preallocated space, because repeated crashes would fill the disk with
    // it.
    if (!tail.hasInvalidBytes) ftruncateSync(handle, tail.offset)
  } finally {
    closeSync(handle)
  }
}

/** Renames damaged files that are not needed. They remain for inspection and are not read again. */
function setAside({ folder, logger, now }: Options, names: readonly string[]): void {
  const suffix = `.damaged-${fileStamp(now)}`
  for (const name of names) {
    if (!existsSync(join(folder, name))) continue
    renameSync(join(folder, name), join(folder, name + suffix))
    logger.warn({ file: name + suffix }, 'set a damaged file aside')
  }
  if (names.length > 0) syncFolder(folder)
}

function cannotOpen(folder: string, problems: readonly string[]): StoreError {
  const reasons = [...new Set(problems)].join(' ')
  return new StoreError('damaged', `The data in ${folder} cannot be opened without losing data: ${reasons}`)
}
