import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

/** Returns a new UUIDv7: sorted by the time of its creation. */
export type NewId = () => string

const idBytes = 16
/** Random bytes for the next ids. `uuid` draws them for each id, which takes longer than the rest in an idle process. */
const pool = new Uint8Array(256 * idBytes)
let used = pool.length

function nextRandom(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += idBytes
  return pool.subarray(used - idBytes, used)
}

/** The time in milliseconds and the counter of the last id. */
const last = { msecs: 0, seq: 0 }

/** Ids of one millisecond are counted up (RFC 9562, 6.2, method 1), also when the clock is set back. */
export const newUuid: NewId = () => {
  const random = nextRandom()
  const now = Date.now()
  if (now > last.msecs) {
    last.msecs = now
    // 31 random bits, so that the counter cannot overflow within a millisecond.
    last.seq = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1
  } else last.seq += 1
  return v7({ random, ...last })
}
