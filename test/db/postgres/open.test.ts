import { sql } from 'kysely'
import { Pool } from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { createPeerLink } from '../../../server/db/engines/postgres/peer-link.ts'
import { migrations } from '../../../server/db/migrations/index.ts'
import { memoryLogger } from '../store.ts'
import { insertItem, itemIds, itemMigrations, postgresServer } from './postgres-support.ts'

const server = postgresServer()

describe('opening a database', () => {
  it('creates the schema once, also if several instances start at the same time', async () => {
    const url = await server.newDatabase()
    const stores = await Promise.all([1, 2, 3].map(() => server.open({ url, migrations })))
    expect(stores.map(({ isNew }) => isNew).sort()).toEqual([false, false, true])
    expect(new Set(stores.map(({ storeId }) => storeId)).size).toBe(1)
    const rows = await server.run<{ version: string }>(
      url,
      'SELECT version FROM schema_migrations ORDER BY version',
    )
    expect(rows.map(({ version }) => Number(version))).toEqual(migrations.map(({ version }) => version))
  })

  it('applies only what is missing, and refuses a newer schema', async () => {
    const { url } = await server.open()
    const added = { version: 2, name: 'colors', statements: ['ALTER TABLE items ADD COLUMN color TEXT'] }
    const { db } = await server.open({ url, migrations: [...itemMigrations, added] })
    expect((await sql`SELECT color FROM items`.execute(db.read)).rows).toEqual([])
    await expect(server.open({ url })).rejects.toMatchObject({
      name: 'StoreError',
      code: 'newer_schema',
      message: expect.stringContaining('schema 2; this version supports up to 1'),
    })
  })

  it('migrates only after the instances of an earlier version have stopped', async () => {
    const { url, peers } = await server.open()
    await peers.start(() => {})
    const migrated = [
      ...itemMigrations,
      { version: 2, name: 'colors', statements: ['CREATE TABLE colors (id TEXT)'] },
    ]
    await expect(server.open({ url, migrations: migrated, peersMs: 0 })).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('Stop all of them'),
    })
    // An instance of the same version starts beside others.
    await server.open({ url })
    const waiting = server.open({ url, migrations: migrated })
    await peers.close()
    expect((await waiting).isNew).toBe(false)
  })

  it('leaves nothing of a migration that fails', async () => {
    const { url } = await server.open()
    const broken = {
      version: 2,
      name: 'broken',
      statements: ['CREATE TABLE more (id INTEGER) STRICT', 'NO SQL'],
    }
    await expect(server.open({ url, migrations: [...itemMigrations, broken] })).rejects.toThrow(
      /syntax error/,
    )
    expect(await server.run(url, `SELECT to_regclass('more') AS t`)).toEqual([{ t: null }])
    await server.open({ url })
  })

  it('refuses a database of another program, or without UTF-8', async () => {
    const foreign = await server.newDatabase()
    await server.run(foreign, 'CREATE TABLE customers (id int)')
    await expect(server.open({ url: foreign })).rejects.toMatchObject({
      code: 'not_a_store',
      message: expect.stringContaining('customers'),
    })
    const latin = await server.newDatabase(
      `ENCODING 'LATIN1' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'`,
    )
    await expect(server.open({ url: latin })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('LATIN1'),
    })
  })

  it('states what to do if the server cannot be reached or has no such database, without the password', async () => {
    const missing = server.cluster.urlOf('missing')
    await expect(server.open({ url: missing })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/"missing" does not exist.*Create the database/),
    })
    const readOnly = await server.newDatabase()
    const withOption = (option: string) => `${readOnly}${readOnly.includes('?') ? '&' : '?'}${option}`
    const refused = (url: string, message: RegExp) =>
      expect(server.open({ url })).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringMatching(message),
      })
    await refused(
      withOption('options=-c%20default_transaction_read_only%3Don'),
      /read-only.*the primary server/,
    )
    // The database became a standby or read-only after the start.
    await server.open({ url: readOnly })
    const { db } = await server.open({ url: withOption('options=-c%20default_transaction_read_only%3Don') })
    expect(await itemIds(db.read)).toEqual([])
    await expect(db.write((tx) => insertItem(tx.q, 1))).rejects.toThrow('it is a standby, or read-only')
    await refused(withOption('options=-c%20search_path%3Dmissing'), /Create the schema of the search_path/)
    await refused('postgres://me@127.0.0.1/promptdeck?sslmode=verify-full&sslrootcert=/missing', /ENOENT/)
    const closed = 'postgres://someone:pa55word@127.0.0.1:1/promptdeck'
    const error = await server.open({ url: closed }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') })
    expect(String(error)).not.toContain('pa55word')
  })
})

it('connections that no longer answer, as after a failover: 503 within a time limit, then new ones', async () => {
  const { db, url } = await server.open({ poolSize: 2, aliveMs: 50, replyMs: 100 })
  const stopped = new Set<number>()
  const stop = async () => {
    const sql = `SELECT pid FROM pg_stat_activity WHERE application_name = 'promptdeck' AND datname = current_database()`
    for (const { pid } of await server.run<{ pid: number }>(url, sql)) {
      process.kill(pid, 'SIGSTOP')
      stopped.add(pid)
    }
  }
  const unavailable = { code: 'store.unavailable' }
  try {
    await db.write(async (tx) => {
      await insertItem(tx.q, 1)
      await itemIds(db.read)
    })
    await stop()
    await expect(db.write((tx) => insertItem(tx.q, 2))).rejects.toMatchObject(unavailable)
    await expect(db.check()).rejects.toMatchObject(unavailable)
    await db.write((tx) => insertItem(tx.q, 3))
    await stop()
    await expect(itemIds(db.read)).rejects.toMatchObject(unavailable)
    expect(await itemIds(db.read)).toEqual([1, 3])
    await expect(db.write(stop)).rejects.toMatchObject({ ...unavailable, extra: { isUncertain: true } })
  } finally {
    for (const pid of stopped) process.kill(pid, 'SIGCONT')
  }
  await db.close()
  await expect(itemIds(db.read)).rejects.toMatchObject(unavailable)
  await expect(db.write(async () => {})).rejects.toMatchObject(unavailable)
})

it('states that all connections are in use', async () => {
  const { db } = await server.open({ poolSize: 1, connectMs: 50 })
  await db.write(() => expect(db.check()).rejects.toThrow('All connections to the database'))
})

it('logs once that events cannot be received', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const log = memoryLogger()
  const link = createPeerLink({ url: 'postgres://127.0.0.1:1/none', pool: new Pool(), logger: log })
  await link.start(() => {})
  vi.advanceTimersByTime(1000)
  await link.close()
  vi.useRealTimers()
  expect(log.lines).toHaveLength(1)
})
