import type { SettingsTable } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'

export function allSettings(q: Query): Promise<SettingsTable[]> {
  return q.selectFrom('settings').selectAll().execute()
}

export async function putSetting(q: Query, row: SettingsTable): Promise<void> {
  const { value, updated_at, updated_by } = row
  await q
    .insertInto('settings')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at, updated_by }))
    .execute()
}
