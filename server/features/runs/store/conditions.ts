import { sql } from 'kysely'

/** Returns ids as SQL literals: they are internal integers, and SQLite limits parameters to 32,766. */
export const listOf = (ids: readonly number[]) => sql.raw(ids.map((id) => Math.trunc(id)).join(','))
