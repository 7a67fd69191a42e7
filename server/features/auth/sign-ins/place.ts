import { networkOf } from '../../../auth/throttle.ts'
import type { SessionsTable } from '../../../db/schema/schema.ts'
import type { Place } from './sign-ins.store.ts'

/** Returns the user agent without version numbers, so that a device is recognized after an update. */
const deviceOf = (userAgent: string): string => userAgent.replace(/\d+(?:[._]\d+)*/g, '').slice(0, 256)

/** Returns the device and the network from which a session was opened. */
export const placeOf = ({ user_agent, ip }: Pick<SessionsTable, 'user_agent' | 'ip'>): Place => ({
  device: deviceOf(user_agent),
  network: networkOf(ip),
})
