import { hash } from 'node:crypto'
import { inject } from 'vitest'
import { runOnServer, templateName } from './server.ts'

/** The URL of the server's database `postgres`, if the test runs on PostgreSQL (see setup.ts). */
const serverUrl = inject('postgresUrl')

/** True if the test runs on PostgreSQL. */
export const isOnPostgres = serverUrl !== undefined

function requireServer(): string {
  if (serverUrl === undefined) throw new Error('The tests do not run on PostgreSQL')
  return serverUrl
}

const nameOf = (dataDir: string): string => `t_${hash('sha256', dataDir, 'hex').slice(0, 24)}`

/** Returns the URL of the database of a data folder. Copies the template if the database does not exist. */
export async function databaseOf(dataDir: string): Promise<string> {
  const server = requireServer()
  const name = nameOf(dataDir)
  const found = await runOnServer(server, `SELECT 1 FROM pg_database WHERE datname = '${name}'`)
  if (found.length === 0) await runOnServer(server, `CREATE DATABASE ${name} TEMPLATE ${templateName}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Returns the environment variables for the database of a data folder; none on the embedded store. */
export const engineVariables = async (dataDir: string | undefined): Promise<Record<string, string>> =>
  isOnPostgres && dataDir !== undefined ? { DATABASE_URL: await databaseOf(dataDir) } : {}

/** Removes the database of a data folder. */
export async function dropDatabase(dataDir: string): Promise<void> {
  if (serverUrl !== undefined)
    await runOnServer(serverUrl, `DROP DATABASE IF EXISTS ${nameOf(dataDir)} WITH (FORCE)`)
}
