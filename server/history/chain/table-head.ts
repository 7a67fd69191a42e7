import type { Query } from '../../db/types.ts'
import { newestEntry } from './audit.store.ts'
import { genesis, type Head } from './chain.ts'

export async function tableHead(q: Query): Promise<Head> {
  const last = await newestEntry(q)
  return last === undefined ? genesis : { id: last.id, hash: last.hash }
}
