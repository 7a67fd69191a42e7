import { fold } from '../lib/text/search.ts'

export const serviceTokenName = 'service-token'
export const localCommandName = 'local-command'

/** Names in the audit log for actors that are neither users nor API tokens. */
const reserved = new Set([serviceTokenName, localCommandName, 'system', 'anonymous'])

/** Returns true if a user or token must not have this name. Ignores case. */
export const isReservedName = (name: string): boolean => reserved.has(fold(name).trim())
