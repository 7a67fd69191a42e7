import { copyFile, cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { isOnPostgres } from '../postgres/databases.ts'

/**
 * Puts the snapshot of the empty store into the folder of a new store, so that it does not start with migrations, and does
 * not replay them at later starts. It gets an id of its own. A folder with files is not changed.
 */
export async function copyEmptyStore(to: string): Promise<void> {
  const from = inject('emptyStore')
  if (from === undefined || isOnPostgres) return
  await mkdir(to, { recursive: true })
  if ((await readdir(to)).length > 0) return
  const snapshots = (await readdir(from)).filter((name) => /^snapshot-\d+\.(?:db|json)$/.test(name)).sort()
  for (const name of snapshots.slice(-2)) await copyFile(join(from, name), join(to, name))
}

/**
 * Makes a data folder like one that a stopped service left, with the first admin and the keys. Does not change a folder
 * that has a store.
 */
export async function copyStartedFolder(to: string): Promise<void> {
  const from = inject('startedFolder')
  if (from === undefined || isOnPostgres) return
  const files = await readdir(join(to, 'store')).catch(() => [])
  if (files.length === 0) await cp(from, to, { recursive: true })
}
