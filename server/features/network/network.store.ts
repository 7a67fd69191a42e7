import { z } from 'zod'
import type { Query } from '../../db/types.ts'

/** The key of the row in the table of settings. */
const key = 'network'

const Stored = z.object({
  enabled: z.boolean(),
  interfaces: z.array(z.string()).nullable(),
  port: z.int().nullable(),
  name: z.string().nullable(),
  /** Absent in settings of earlier versions. */
  discoverable: z.boolean().default(false),
  /** The fingerprint of the local authority, once it was created. */
  authority: z.string().nullable(),
  /** The last change by a person or an app. */
  updated: z.object({ at: z.string(), by: z.string() }).nullable(),
})
export type StoredNetwork = z.infer<typeof Stored>

const initial: StoredNetwork = {
  enabled: false,
  interfaces: null,
  port: null,
  name: null,
  discoverable: false,
  authority: null,
  updated: null,
}

/** Returns the stored choice. Throws for a value that this version cannot read. */
export async function readNetwork(q: Query): Promise<StoredNetwork> {
  const row = await q.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst()
  if (row === undefined) return initial
  const parsed = Stored.safeParse(JSON.parse(row.value))
  if (parsed.success) return parsed.data
  throw new Error(`The stored setting ${key} cannot be read: ${parsed.error.issues[0]?.message}`)
}

export async function putNetwork(q: Query, stored: StoredNetwork, at: Date, by: string): Promise<void> {
  const row = { value: JSON.stringify(stored), updated_at: at.getTime(), updated_by: by }
  await q
    .insertInto('settings')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
}
