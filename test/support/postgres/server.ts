import { Client } from 'pg'

/** The database with the current schema, of which each test gets a copy. */
export const templateName = 'promptdeck_template'

/** Runs a statement in the database of the URL. */
export async function runOnServer<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
