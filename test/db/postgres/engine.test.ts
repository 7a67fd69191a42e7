import { sql } from 'kysely'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { counterOf, increment, insertItem, itemIds, postgresServer } from './postgres-support.ts'

const server = postgresServer()

describe('values', () => {
  it('are numbers that JavaScript represents exactly; others throw', async () => {
    const { db } = await server.open()
    const read = async (expression: string) =>
      (await sql.raw<{ v: unknown }>(`SELECT (${expression}) AS v`).execute(db.read)).rows[0]?.v
    expect(await read('9007199254740991::bigint')).toBe(Number.MAX_SAFE_INTEGER)
    expect(await read('SELECT sum(v) FROM (VALUES (1::bigint), (2)) AS t (v)')).toBe(3)
    expect(await read('0.25::numeric')).toBe(0.25)
    expect(await read('1 = 1')).toBe(1)
    expect(await read('null::bigint')).toBe(null)
    await expect(read('9007199254740992::bigint')).rejects.toThrow(/beyond 2\^53/)
    await expect(read('SELECT sum(9007199254740991::bigint) FROM generate_series(1, 2)')).rejects.toThrow(
      /beyond 2\^53/,
    )
  })

  it('are checked as for the other engine, and NUL in a text becomes U+FFFD', async () => {
    const { db } = await server.open()
    await db.write((tx) => insertItem(tx.q, 1, 'a\0b\ud800'))
    const { rows } = await sql<{ name: string }>`SELECT name FROM items WHERE name = ${'a\0b\ud800'}`.execute(
      db.read,
    )
    expect(rows).toEqual([{ name: 'a\uFFFDb\uFFFD' }])
    await expect(sql`SELECT ${new Date()}`.execute(db.read)).rejects.toThrow(/pass date\.getTime\(\)/)
    await expect(sql`SELECT ${true}`.execute(db.read)).rejects.toThrow(/write 0 or 1/)
  })

  it('that are texts sort by their bytes, whatever the collation of the database is', async () => {
    const { db } = await server.open()
    const names = ['b', 'B', 'a', '_', 'é', '\u{1F600}', '\uFFFD', '']
    await db.write(async (tx) => {
      for (const [id, name] of names.entries()) await insertItem(tx.q, id, name)
    })
    const { rows } = await sql<{ name: string }>`SELECT name FROM items ORDER BY name`.execute(db.read)
    const byBytes = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(rows.map(({ name }) => name)).toEqual(byBytes)
  })
})

describe('a transaction', () => {
  it('that throws is undone, with its callbacks', async () => {
    const { db } = await server.open()
    const calls: string[] = []
    const write = db.write(async (tx) => {
      tx.afterCommit(() => calls.push('undone'))
      await insertItem(tx.q, 1)
      throw new Error('stop')
    })
    await expect(write).rejects.toThrow('stop')
    expect(await itemIds(db.read)).toEqual([])
    await db.write(async (tx) => {
      tx.afterCommit(() => calls.push('committed'))
      await insertItem(tx.q, 2)
      expect(await itemIds(db.read)).toEqual([])
    })
    expect([calls, await itemIds(db.read)]).toEqual([['committed'], [2]])
    expect(db.status()).toMatchObject({ state: 'open', committed: 1, synced: 1 })
  })

  it('undoes only the attempt that fails, also a nested one', async () => {
    const { db } = await server.open()
    const calls: number[] = []
    await db.write(async (tx) => {
      await insertItem(tx.q, 1)
      const failed = tx.attempt(async () => {
        tx.afterCommit(() => calls.push(2))
        await insertItem(tx.q, 2)
        await expect(tx.attempt(() => insertItem(tx.q, 2))).rejects.toThrow(/duplicate key/)
        await insertItem(tx.q, 3)
        throw new Error('outer')
      })
      await expect(failed).rejects.toThrow('outer')
      await tx.attempt(() => insertItem(tx.q, 4))
      tx.afterCommit(() => calls.push(4))
    })
    expect([await itemIds(db.read), calls]).toEqual([[1, 4], [4]])
  })

  it('fails if a statement failed and its error was caught outside an attempt', async () => {
    const { db } = await server.open()
    const write = db.write(async (tx) => {
      await insertItem(tx.q, 1)
      await insertItem(tx.q, 1).catch(() => {})
    })
    await expect(write).rejects.toThrow(/a statement in it failed/)
    expect(await itemIds(db.read)).toEqual([])
  })

  it('refuses statements after its end, changes by db.read, and its own BEGIN and COMMIT', async () => {
    const { db } = await server.open()
    const { q } = await db.write(async (tx) => tx)
    await expect(insertItem(q, 1)).rejects.toThrow(/The transaction has ended/)
    await expect(insertItem(db.read, 1)).rejects.toThrow(/db\.read only reads/)
    await expect(db.write((tx) => sql`COMMIT`.execute(tx.q))).rejects.toThrow(/Only the store runs this/)
  })

  it('is undone after its time limit, and the next one runs', async () => {
    const { db } = await server.open({ timeoutMs: 50 })
    const write = db.write(async (tx) => {
      await insertItem(tx.q, 1)
      await new Promise(() => {})
    })
    await expect(write).rejects.toThrow(/still open after 50 ms/)
    await db.write((tx) => insertItem(tx.q, 2))
    expect(await itemIds(db.read)).toEqual([2])
  })
})

describe('transactions of several instances', () => {
  it('run one at a time, so that a check holds until its commit', async () => {
    const first = await server.open()
    const second = await server.open({ url: first.url })
    const writes = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? first : second).db.write((tx) => increment(tx, 'a')),
    )
    await Promise.all(writes)
    expect(await counterOf(second.db.read, 'a')).toBe(20)
  })

  it('run again after a deadlock with another program', async () => {
    const { db, url } = await server.open()
    const other = new Client({ connectionString: url })
    await other.connect()
    // The other program notices no deadlock for longer than the server does for the service.
    await other.query(`SET deadlock_timeout = '20s'`)
    await other.query(`BEGIN; UPDATE counters SET value = value + 10 WHERE name = 'b'`)
    let runs = 0
    let blocked: Promise<unknown> = Promise.resolve()
    await db.write(async (tx) => {
      runs += 1
      await increment(tx, 'a')
      if (runs === 1) blocked = other.query(`UPDATE counters SET value = value + 10 WHERE name = 'a'; COMMIT`)
      await increment(tx, 'b')
    })
    await blocked
    await other.end()
    expect([runs, await counterOf(db.read, 'a'), await counterOf(db.read, 'b')]).toEqual([2, 11, 11])
  })
})
