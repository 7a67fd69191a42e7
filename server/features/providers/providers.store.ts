import type { ProvidersTable } from '../../db/schema/providers.ts'
import type { Query } from '../../db/types.ts'

export type ProviderRow = ProvidersTable

export function allProviders(q: Query): Promise<ProviderRow[]> {
  return q.selectFrom('providers').selectAll().execute()
}

export async function putProvider(q: Query, row: ProviderRow): Promise<void> {
  const { name: _name, ...rest } = row
  await q
    .insertInto('providers')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(rest))
    .execute()
}

export async function deleteProvider(q: Query, name: string): Promise<void> {
  await q.deleteFrom('providers').where('name', '=', name).execute()
}
