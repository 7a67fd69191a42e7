import type { Query } from '../types.ts'
import { runnerOf } from './query.ts'
import { sqliteDialect } from './sqlite.ts'

/**
 * Returns true if the database stores captured payloads and finds words in them. Otherwise they are files
 * beside it.
 */
export const storesPayloads = (q: Query): boolean => runnerOf(q).dialect !== sqliteDialect
