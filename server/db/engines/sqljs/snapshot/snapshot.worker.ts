/**
 * Writes a snapshot or a backup in a thread: loads the last snapshot, replays the closed segments after it,
 * checks the result, writes it to a temporary file and renames it.
 */

import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { fileNames } from '../format/folder.ts'
import { replay } from '../journal/replay.ts'
import { createEngine, type Engine } from '../sqlite/engine.ts'
import { loadSqlJs, type SqlJs } from '../sqlite/sqljs.ts'
import {
  checkDatabase,
  loadDatabaseFile,
  readSidecar,
  type Sidecar,
  stampTransaction,
  writeSnapshot,
  writeVerified,
} from './snapshot.ts'
import type { SnapshotJob, SnapshotReply } from './snapshot-jobs.ts'

async function work(job: SnapshotJob): Promise<Sidecar> {
  const sql = await loadSqlJs()
  const engine = build(sql, job)
  try {
    const { folder, transaction, target, fence } = job
    const now = new Date(job.now)
    checkDatabase(engine.database, 'the new snapshot', 'integrity_check')
    if ('generation' in target) {
      return writeSnapshot({
        folder,
        generation: target.generation,
        database: engine.database,
        transaction,
        now,
        fence,
      })
    }
    stampTransaction(engine.database, transaction)
    const bytes = engine.database.bytes()
    const sha256 = writeVerified(target.file, bytes, fence)
    return reopen(sql, job, target.file, { bytes: bytes.length, sha256, crc32: crc32(bytes) })
  } finally {
    engine.close()
  }
}

/** Builds the database as of `job.transaction`. If a base is damaged, tries the one before. */
function build(sql: SqlJs, job: SnapshotJob): Engine {
  const problems: string[] = []
  let code: string | undefined
  for (const generation of job.bases) {
    let engine: Engine | undefined
    try {
      const file = join(job.folder, fileNames.snapshot(generation))
      const loaded = loadDatabaseFile(sql, file, job.limitBytes, readSidecar(job.folder, generation))
      engine = createEngine(loaded.database)
      const { transaction } = replay(engine, job.segments, loaded.transaction)
      if (transaction === job.transaction) return engine
      throw new Error(`it ends with transaction ${transaction} instead of ${job.transaction}.`)
    } catch (error) {
      engine?.close()
      problems.push(messageOf(error))
      code ??= (error as NodeJS.ErrnoException).code
    }
  }
  // The error code of the disk, so that a full or failing disk is reported as such.
  throw Object.assign(new Error(problems.join(' ')), code !== undefined && { code })
}

/** Opens a backup again from disk and checks it. Only then is the backup complete. */
function reopen(
  sql: SqlJs,
  job: SnapshotJob,
  file: string,
  sums: Pick<Sidecar, 'bytes' | 'sha256' | 'crc32'>,
): Sidecar {
  const sidecar = { file, ...sums, transaction: job.transaction, schema: 0, made_at: job.now }
  const { database, schema } = loadDatabaseFile(sql, file, 0, sidecar)
  try {
    checkDatabase(database, file, 'integrity_check')
    return { ...sidecar, schema }
  } finally {
    database.close()
  }
}

function send(reply: SnapshotReply): void {
  parentPort?.postMessage(reply)
}

try {
  send({ sidecar: await work(workerData as SnapshotJob) })
} catch (error) {
  const code = (error as NodeJS.ErrnoException).code
  send({ error: code === undefined ? { message: messageOf(error) } : { message: messageOf(error), code } })
}
