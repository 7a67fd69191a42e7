import type { PoolClient } from 'pg'
import { queryOver } from '../../dialect/query.ts'
import { excerpt, kindOf } from '../../statement-kind.ts'
import type { Tx } from '../../types.ts'
import type { Outcome, Row } from '../../values.ts'
import { postgresDialect } from './compiler.ts'
import { translate } from './errors.ts'
import { parametersFor } from './values.ts'

/** The part of a pool or a connection that runs statements. */
export type Connection = Pick<PoolClient, 'query'>

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE'])

/** Runs one statement. Throws the translated error. */
export async function runStatement(
  connection: Connection,
  sql: string,
  parameters: readonly unknown[],
): Promise<Outcome> {
  const values = parametersFor(parameters)
  try {
    const { rows, rowCount, command } = await connection.query<Row>({ text: sql, values })
    return { rows, changes: changing.has(command) ? (rowCount ?? 0) : 0 }
  } catch (error) {
    throw translate(error, sql)
  }
}

export type OpenTransaction = {
  readonly tx: Tx
  readonly callbacks: readonly (() => void)[]
  /** Returns true if the transaction ran a statement that writes. */
  hasChanges(): boolean
  /** Refuses every later query of the transaction with `reason`. The first reason counts. */
  end(reason: string): void
  assertAlive(): void
  isWaiting(): boolean
  /** Resolves when no statement of the transaction is running. */
  idle(): Promise<void>
}

type State = {
  readonly client: Connection
  /** The statements that were sent and have not ended. */
  readonly running: Set<Promise<unknown>>
  readonly callbacks: (() => void)[]
  writes: number
  depth: number
  ended: string | undefined
}

/** Creates the `Tx` of a transaction that has begun on this connection. */
export function openTransaction(client: Connection): OpenTransaction {
  const state: State = {
    client,
    running: new Set(),
    callbacks: [],
    writes: 0,
    depth: 0,
    ended: undefined,
  }
  const assertAlive = (): void => {
    if (state.ended !== undefined) throw new Error(state.ended)
  }
  const q = queryOver({
    dialect: postgresDialect,
    execute: (sql, parameters) => execute(state, sql, parameters),
  })
  return {
    tx: {
      q,
      afterCommit: (callback) => void state.callbacks.push(callback),
      whenVisible: (callback) => void state.callbacks.push(callback),
      attempt: (work) => attempt(state, work),
    },
    callbacks: state.callbacks,
    hasChanges: () => state.writes > 0,
    end(reason) {
      state.ended ??= reason
    },
    assertAlive,
    isWaiting: () => state.running.size > 0,
    async idle() {
      await Promise.allSettled(state.running)
    },
  }
}

/**
 * Sends a statement. Statements sent at the same time run in the order of the calls, without a round trip for
 * each.
 */
async function send(state: State, sql: string, parameters: readonly unknown[]): Promise<Outcome> {
  const statement = runStatement(state.client, sql, parameters)
  state.running.add(statement)
  try {
    return await statement
  } finally {
    state.running.delete(statement)
  }
}

async function execute(state: State, sql: string, parameters: readonly unknown[]): Promise<Outcome> {
  if (state.ended !== undefined) throw new Error(`${state.ended}: ${excerpt(sql)}`)
  const kind = kindOf(sql)
  if (kind === 'control')
    throw new Error(`Only the store runs this, see db.write and tx.attempt: ${excerpt(sql)}`)
  const outcome = await send(state, sql, parameters)
  if (kind === 'write') state.writes += 1
  return outcome
}

/** Runs `work` in a savepoint. If it throws, its changes and callbacks are rolled back. */
async function attempt<T>(state: State, work: () => Promise<T>): Promise<T> {
  const name = `attempt_${state.depth}`
  const keptCallbacks = state.callbacks.length
  const control = async (sql: string): Promise<void> => {
    if (state.ended === undefined) await send(state, sql, [])
  }
  await control(`SAVEPOINT ${name}`)
  state.depth += 1
  try {
    const result = await work()
    await control(`RELEASE SAVEPOINT ${name}`)
    return result
  } catch (error) {
    await control(`ROLLBACK TO SAVEPOINT ${name}; RELEASE SAVEPOINT ${name}`)
    state.callbacks.length = keptCallbacks
    throw error
  } finally {
    state.depth -= 1
  }
}
