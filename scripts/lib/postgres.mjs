import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian's folder with one folder per version of PostgreSQL. */
const debian = '/usr/lib/postgresql'

/**
 * Returns the folder with the programs of the newest installed PostgreSQL server; null if there is none.
 * @returns {string | null}
 */
export function findPostgres() {
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null
}
