import { fold } from '../lib/text.ts'

/** Names the audit log gives to actors that are neither users nor API tokens. */
const reserved = new Set(['service-token', 'system', 'anonymous'])

export const isReservedName = (name: string): boolean => reserved.has(fold(name).trim())
