import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDb } from '../../../server/db/engines/sqljs/open.ts'

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: Vitest declares this type as an interface to extend.
  export interface ProvidedContext {
    /** The folder of a store that has the released schema and no rows. */
    emptyStore?: string
  }
}

const quiet = () => {}

/**
 * Creates the empty store of a test run with the released migrations, which take half of the time of a first start and
 * of each start that replays them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'promptdeck-empty-store-'))
  const { db } = await openDb({
    folder,
    maxStoreBytes: 64 * 1024 * 1024,
    logger: { info: quiet, warn: quiet, error: quiet },
    snapshotAtClose: true,
  })
  await db.close()
  project.provide('emptyStore', folder)
  return () => rm(folder, { recursive: true, force: true })
}
