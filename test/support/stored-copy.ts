import { databaseOf, isOnPostgres } from './postgres/databases.ts'
import { runOnServer } from './postgres/server.ts'
import type { TestServer } from './service.ts'

/** Returns everything that the store of a service contains, as text: a backup, or all rows of its database. */
export async function storedCopy(server: TestServer): Promise<string> {
  if (isOnPostgres) return rowsOf(await databaseOf(server.dataDir))
  const backup = await server.call('POST /api/backups')
  const file = await server.call(`GET /api/backups/${backup.body.data.id}/download`)
  if (!file.text.startsWith('SQLite format 3')) throw new Error(`The backup was ${file.status}: ${file.text}`)
  return file.text
}

async function rowsOf(url: string): Promise<string> {
  const tables = await runOnServer<{ name: string }>(
    url,
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`,
  )
  const texts: string[] = []
  for (const { name } of tables)
    for (const { row } of await runOnServer<{ row: string }>(url, `SELECT t::text AS row FROM "${name}" t`))
      texts.push(`${name} ${row}`)
  return texts.join('\n')
}
