import { afterEach, beforeEach, expect } from 'vitest'
import { openRunLog, type RunLog } from './runs-support.ts'

export let log: RunLog

/** Closes the run log and opens another with other options. */
export async function reopen(options: Parameters<typeof openRunLog>[0]): Promise<void> {
  await log.close()
  log = await openRunLog(options)
}

/** Opens a run log before each test of the calling file and closes it after the test. */
export function setUpLog(): void {
  beforeEach(async () => {
    log = await openRunLog()
  })
  afterEach(async () => {
    expect(log.errors).toEqual([])
    await log.close()
  })
}
