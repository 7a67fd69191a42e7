import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createRandom } from '../../server/tools/seed-data.ts'
import { newFolder, openStore } from '../db/store.ts'
import { all, expected, first } from './crash/migrations.mjs'

const kills = Math.max(5, Math.floor(Number(process.env['CRASH_KILLS'] ?? 50) / 10))
const random = createRandom(Number(process.env['CRASH_SEED'] ?? 1))
const script = fileURLToPath(new URL('./crash/migrate.mjs', import.meta.url))

/** Migrates a copy of `folder` in a separate process and kills it after `ms`; returns the copy. */
async function killWhileMigrating(folder: string, ms: number): Promise<{ copy: string; wasKilled: boolean }> {
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true })
  const child = spawn(process.execPath, [script, copy], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await Promise.race([delay(ms), exited])
  child.kill('SIGKILL')
  const [, signal] = await exited
  return { copy, wasKilled: signal === 'SIGKILL' }
}

test(`applies every migration exactly once after each of ${kills} kills`, {
  timeout: kills * 10_000 + 60_000,
}, async () => {
  const { folder, db } = await openStore({ migrations: first })
  await db.close()
  // The duration of a complete migration on this machine limits the times of the kills.
  const started = performance.now()
  expect((await killWhileMigrating(folder, 60_000)).wasKilled).toBe(false)
  const migrationMs = performance.now() - started

  let killed = 0
  while (killed < kills) {
    const { copy, wasKilled } = await killWhileMigrating(folder, random() * migrationMs)
    if (wasKilled) killed += 1
    const store = await openStore({ folder: copy, migrations: all })
    const { rows } = await sql`SELECT count(*) AS rows, sum(n) AS sum, sum(length(name)) AS length
      FROM items`.execute(store.db.read)
    expect(rows).toEqual([expected])
    expect((await sql`SELECT * FROM pragma_integrity_check`.execute(store.db.read)).rows).toEqual([
      { integrity_check: 'ok' },
    ])
    await store.db.close()
  }
})
