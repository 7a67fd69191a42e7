import type { Readiness } from '../../../contract/system/health.ts'
import type { Db } from '../../db/types.ts'
import { Problem } from '../../lib/fail.ts'

/** Returns a function that checks whether the store responds. Callers at the same time share one statement. */
export function createReadiness(db: Pick<Db, 'check'>): () => Promise<Readiness> {
  let running: Promise<Readiness> | null = null
  const check = async (): Promise<Readiness> => {
    try {
      await db.check()
      return { ready: true }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return { ready: false, reason: error.message }
    }
  }
  return () => {
    running ??= check().finally(() => {
      running = null
    })
    return running
  }
}
