import { v7 } from 'uuid'

/** Returns a new UUIDv7: sorted by the time of its creation. */
export type NewId = () => string

export const newUuid: NewId = () => v7()
