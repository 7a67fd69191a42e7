import type { Pool } from 'pg'
import { fail, storeClosed } from '../../../lib/fail.ts'
import { queryOver } from '../../dialect/query.ts'
import { excerpt, kindOf } from '../../statement-kind.ts'
import type { Db } from '../../types.ts'
import { postgresDialect } from './compiler.ts'
import { aliveReply } from './time-limit.ts'
import { runStatement } from './transaction.ts'
import { connect, type Transactions } from './transactions.ts'

type State = { readonly pool: Pool; readonly transactions: Transactions; closing: Promise<void> | undefined }

/** Returns the `Db` of an open database. */
export function createDb(parts: {
  readonly pool: Pool
  readonly transactions: Transactions
  readonly aliveMs: number
}): Db {
  const state: State = { ...parts, closing: undefined }
  const { pool, transactions, aliveMs } = parts
  return {
    read: queryOver({
      dialect: postgresDialect,
      async execute(sql, parameters) {
        assertOpen(state)
        if (kindOf(sql) !== 'read')
          throw new Error(`db.read only reads, write through db.write: ${excerpt(sql)}`)
        return runStatement(pool, sql, parameters)
      },
    }),
    write: transactions.write,
    // A transaction that committed is durable, and reads see only committed rows.
    settled: async () => assertOpen(state),
    async check() {
      assertOpen(state)
      await probe(pool, aliveMs)
    },
    status: () => ({
      state: state.closing === undefined ? 'open' : 'closed',
      usedBytes: 0,
      limitBytes: 0,
      isFull: false,
      diskFullSince: null,
      committed: transactions.committed(),
      synced: transactions.committed(),
    }),
    checkpoint: async () => {},
    async backup() {
      throw fail('backup.unsupported', {
        detail: 'This service stores its data in PostgreSQL. Back it up with the tools of PostgreSQL.',
      })
    },
    close() {
      state.closing ??= close(parts)
      return state.closing
    },
  }
}

/** Throws if the database does not answer, and does not use that connection again. */
async function probe(pool: Pool, aliveMs: number): Promise<void> {
  const client = await connect(pool)
  let broken = true
  try {
    await aliveReply(runStatement(client, 'SELECT 1', []), aliveMs)
    broken = false
  } finally {
    client.release(broken)
  }
}

function assertOpen({ closing }: State): void {
  if (closing !== undefined) throw storeClosed()
}

async function close({ pool, transactions }: Pick<State, 'pool' | 'transactions'>): Promise<void> {
  await transactions.stop()
  await pool.end()
}
