import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { readConfig } from '../../../server/config.ts'
import { openDb } from '../../../server/db/engines/sqljs/open.ts'
import { startServer } from '../../../server/index.ts'

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: Vitest declares this type as an interface to extend.
  export interface ProvidedContext {
    /** The folder of a store that has the released schema and no rows. */
    emptyStore?: string
    /** The data folder of a service that has started once. */
    startedFolder?: string
  }
}

const quiet = () => {}

/**
 * Creates the empty store and the data folder that the tests of a run copy. The released migrations take half of the time
 * of a first start in the process of a test, and hashing the first admin's password most of it in a process without
 * optimized code.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = await mkdtemp(join(tmpdir(), 'promptdeck-empty-store-'))
  const empty = join(root, 'empty')
  const { db } = await openDb({
    folder: empty,
    maxStoreBytes: 64 * 1024 * 1024,
    logger: { info: quiet, warn: quiet, error: quiet },
    snapshotAtClose: true,
  })
  await db.close()
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: join(root, 'started') })
  const started = await startServer(config, { passwordCost: 4, store: { snapshotAtClose: true } })
  await started.close()
  project.provide('emptyStore', empty)
  project.provide('startedFolder', config.dataDir)
  return () => rm(root, { recursive: true, force: true })
}
