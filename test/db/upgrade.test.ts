import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrations } from '../../server/db/migrations/index.ts'
import type { Db } from '../../server/db/types.ts'
import { openStore } from './store.ts'

/** Creates a store with version 8 of the schema, fills it, and opens it with the current program. */
async function upgraded(fill: (run: (statement: string) => Promise<unknown>) => Promise<void>): Promise<Db> {
  const { db, folder } = await openStore({ migrations: migrations.slice(0, 8) })
  await db.write(({ q }) => fill((statement) => sql.raw(statement).execute(q)))
  await db.close()
  return (await openStore({ folder, migrations })).db
}
const workspace = (id: string, slug: string) =>
  `INSERT INTO workspaces (id, slug, name, created_at, updated_at) VALUES ('${id}', '${slug}', '${slug}', 1, 1)`
const entry = (id: number, action: string, workspaceId: string, before: string) =>
  `INSERT INTO audit (id, created_at, actor, actor_kind, action, resource, resource_id, summary, before, prev_hash, hash)
    VALUES (${id}, ${id}, 'edda', 'user', '${action}', 'workspace', '${workspaceId}', '', ${before}, '', '')`

test('released slugs belong to the workspace that had them last', async () => {
  const db = await upgraded(async (run) => {
    await run(workspace('w1', 'blue'))
    await run(workspace('w2', 'green'))
    await run(entry(1, 'update', 'w1', `'{"slug":"azure"}'`))
    await run(entry(2, 'update', 'w1', `'{"name":"Blue"}'`))
    await run(entry(3, 'update', 'w2', `'{"slug":"azure"}'`))
    await run(entry(4, 'update', 'w2', `'{"slug":"blue"}'`))
    await run(entry(5, 'delete', 'w3', `'{"slug":"red","name":"Red"}'`))
    await run(entry(6, 'create', 'w9', 'NULL'))
    await run(entry(7, 'update', 'w9', `'{"sha256":"x","length":70000}'`))
  })
  const { rows } = await sql`SELECT slug, workspace_id FROM workspace_slugs ORDER BY slug`.execute(db.read)
  expect(rows).toEqual([
    { slug: 'azure', workspace_id: 'w2' },
    { slug: 'blue', workspace_id: 'w1' },
    { slug: 'green', workspace_id: 'w2' },
    { slug: 'red', workspace_id: 'w3' },
  ])
})

test('tokens keep their role and expiry, and require a decision', async () => {
  const db = await upgraded(async (run) => {
    await run(`INSERT INTO api_tokens (id, name, name_folded, role, hash, hint, expires_at, created_by, created_at)
      VALUES ('t1', 'ci', 'ci', 'admin', 'h1', 'abcd', NULL, 'edda', 1), ('t2', 'app', 'app', 'viewer', 'h2', 'efgh', 99, 'gone', 2)`)
  })
  const { rows } =
    await sql`SELECT id, role, expires_at, created_by, created_by_id, binding, owner_kind, owner_id FROM api_tokens ORDER BY id`.execute(
      db.read,
    )
  const undecided = { binding: 'undecided', created_by_id: null, owner_kind: null, owner_id: null }
  expect(rows).toEqual([
    { id: 't1', role: 'admin', expires_at: null, created_by: 'edda', ...undecided },
    { id: 't2', role: 'viewer', expires_at: 99, created_by: 'gone', ...undecided },
  ])
})
