import { v7 } from 'uuid'

/** UUIDv7: sortable by the time it was made. */
export type NewId = () => string

export const newUuid: NewId = () => v7()
