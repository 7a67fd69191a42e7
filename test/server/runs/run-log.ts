import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { isOnPostgres } from '../../support/postgres/databases.ts'
import { openSharedStore, type SharedStore } from '../../support/store.ts'
import { openRunLog, type RunLog, type RunLogOptions } from './runs-support.ts'

export let log: RunLog

let store: SharedStore | undefined

/** Closes the run log and opens another one with other options. */
export async function reopen(options: RunLogOptions): Promise<void> {
  await log.close()
  log = await openRunLog(options, store)
}

/** Opens an empty run log before each test of the calling file and closes it after the test. */
export function setUpLog(): void {
  beforeAll(async () => {
    // A database contains partitions, which are created in advance: each test has one of its own.
    store = isOnPostgres ? undefined : await openSharedStore()
  })
  beforeEach(async () => {
    log = await openRunLog({}, store)
  })
  afterEach(async () => {
    expect(log.errors).toEqual([])
    await log.close()
  })
  afterAll(() => store?.close())
}
