import type { Health } from '../../../contract/system/health.ts'
import type { DbStatus } from '../../db/types.ts'

const reasons = {
  disk_full:
    'The disk with the data folder is full. Sign-in, reading, exports and deletion work; all other changes are rejected until there is free space.',
  store_full:
    'The store has reached its limit (MAX_STORE_MB). Sign-in, reading, exports and deletion work; all other changes are rejected.',
  store_unavailable: 'The store failed, so all requests are rejected. Restart the service.',
} as const

/** Returns the state of the store for `/health`. */
export function storeHealth(status: DbStatus): Pick<Health, 'ok' | 'status' | 'reason'> {
  if (status.state !== 'open')
    return { ok: false, status: 'store_unavailable', reason: reasons.store_unavailable }
  if (status.diskFullSince !== null) {
    const reason = `${reasons.disk_full} Full since ${status.diskFullSince.toISOString()}.`
    return { ok: true, status: 'disk_full', reason }
  }
  if (status.isFull) return { ok: true, status: 'store_full', reason: reasons.store_full }
  return { ok: true, status: 'ok' }
}
