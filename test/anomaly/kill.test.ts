import { statSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Migration } from '../../server/db/migrations/migration.ts'
import { filesOf, newFolder, openStore } from '../db/store.ts'
import { start } from './child.ts'

const statements = ['CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT) STRICT']
const migrations: readonly Migration[] = [{ version: 1, name: 'child', statements }]

const suspend = new URL('./suspend.mjs', import.meta.url)

test('keeps every acknowledged write complete and in order after repeated kills during writes, with threads suspended at random', {
  timeout: 60_000,
}, async () => {
  const folder = newFolder()
  const acknowledged = new Set<number>()
  for (const count of [40, 300, 5, 500, 120, 1]) {
    const child = start(folder, 'write', { env: { NODE_OPTIONS: `--import ${suspend.href}` } })
    await child.printed(count + 1)
    await child.kill()
    expect(child.lines[0]).toBe('open')
    for (const line of child.lines.slice(1)) acknowledged.add(Number(line))
  }
  const { db } = await openStore({ folder, migrations })
  const { rows } = await sql<{ id: number; name: string }>`SELECT id, name FROM items ORDER BY id`.execute(
    db.read,
  )
  const found = new Set(rows.map(({ id }) => id))
  expect([...acknowledged].filter((id) => !found.has(id))).toEqual([])
  expect(acknowledged.size).toBeGreaterThan(950)
  for (const { id, name } of rows) expect(name).toBe(`n${id}`.padEnd(id % 300, '.'))
  expect((await sql`SELECT * FROM pragma_integrity_check`.execute(db.read)).rows).toEqual([
    { integrity_check: 'ok' },
  ])
  // The next segment of the journal is being created meanwhile; leftovers would remain.
  await expect.poll(() => filesOf(folder, /\.(?:tmp|damaged)/), { timeout: 10_000 }).toEqual([])
})

test('does not fill the folder with segments when it is killed repeatedly right after its start', {
  timeout: 60_000,
}, async () => {
  const folder = newFolder()
  for (let round = 0; round < 4; round += 1) {
    const child = start(folder, 'hold')
    await child.printed(1)
    expect(child.lines).toEqual(['open'])
    await child.kill()
  }
  await (await openStore({ folder, migrations })).db.close()
  expect(filesOf(folder, /^snapshot-.*\.db$/)).toHaveLength(1)
  const sizes = filesOf(folder, /^journal-/).map((file) => statSync(file).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(6 * 8192)
})
