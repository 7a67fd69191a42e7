import type { Logger } from 'pino'
import type { Db } from '../../db/types.ts'
import { dayMs, minuteMs } from '../../lib/durations.ts'
import { deviceHashOf, isDeviceToken } from './device-tokens.ts'
import { type DeviceRow, findDeviceByHash, storeDevicesSeen } from './devices.store.ts'

/** Recognizes paired devices by their token and tracks their last use in memory. */
export type Devices = {
  /** Returns the device of a token; null if it is unknown, revoked or expired. */
  find(token: string | undefined, now: Date): Promise<DeviceRow | null>
  touch(deviceId: string, now: Date): void
  /** Returns the latest use known to this process or the store, in milliseconds since 1970. */
  lastSeenMs(device: Pick<DeviceRow, 'id' | 'last_seen_at'>): number
  /** Returns when the device expires if it is not used again, in milliseconds since 1970. */
  expiresAtMs(device: Pick<DeviceRow, 'id' | 'last_seen_at' | 'expires_at'>): number
  /** Returns the lifetime of a device without use, in milliseconds. */
  lifetimeMs(): number
  /** Writes last-seen times from memory to the store. */
  flush(): Promise<void>
  close(): Promise<void>
}

export type DevicesDeps = {
  readonly db: Db
  readonly logger: Logger
  /** Lifetime of a device without use, in days. */
  readonly lifetimeDays: () => number
  /** Interval between writes, in milliseconds. Authentication itself never writes to the store. */
  readonly intervalMs?: number
}

export function createDevices({ db, logger, lifetimeDays, intervalMs = minuteMs }: DevicesDeps): Devices {
  /** Last-seen times that are not stored yet, in milliseconds by device id. */
  const seen = new Map<string, number>()
  const lifetimeMs = () => lifetimeDays() * dayMs

  const flush = async () => {
    if (seen.size === 0) return
    const written = [...seen]
    await db.write(({ q }) => storeDevicesSeen(q, written, lifetimeMs()), { evenWhenFull: true })
    for (const [id, at] of written) if (seen.get(id) === at) seen.delete(id)
  }
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = flush().catch((err: unknown) => logger.error({ err }, 'the use of devices was not stored'))
  }, intervalMs)
  timer.unref()

  const expiresAtMs: Devices['expiresAtMs'] = ({ id, expires_at }) => {
    const at = seen.get(id)
    return at === undefined ? expires_at : Math.max(expires_at, at + lifetimeMs())
  }

  return {
    async find(token, now) {
      if (token === undefined || !isDeviceToken(token)) return null
      const device = await findDeviceByHash(db.read, deviceHashOf(token))
      return device === undefined || expiresAtMs(device) <= now.getTime() ? null : device
    },
    touch(deviceId, now) {
      seen.set(deviceId, now.getTime())
    },
    lastSeenMs: ({ id, last_seen_at }) => Math.max(last_seen_at, seen.get(id) ?? 0),
    expiresAtMs,
    lifetimeMs,
    flush,
    async close() {
      clearInterval(timer)
      await running
      await flush()
    },
  }
}
