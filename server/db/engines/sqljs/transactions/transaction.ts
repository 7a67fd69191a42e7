import { queryOver } from '../../../dialect/query.ts'
import { sqliteDialect } from '../../../dialect/sqlite.ts'
import { excerpt } from '../../../statement-kind.ts'
import type { Tx } from '../../../types.ts'
import type { Outcome } from '../../../values.ts'
import { checkParameters } from '../../../values.ts'
import type { Operation } from '../format/operations.ts'
import type { Engine } from '../sqlite/engine.ts'

export type OpenTransaction = {
  readonly tx: Tx
  /** Refuses every later query of the transaction with `reason`. The first reason counts. */
  end(reason: string): void
  /** Throws if the transaction has ended: after `end`, or because SQLite rolled it back. */
  assertAlive(): void
}

/**
 * Creates the `Tx` of one transaction. It collects the statements for the journal, and refuses queries after
 * the transaction.
 */
export function openTransaction(parts: {
  readonly engine: Engine
  readonly guarded: <T>(work: () => T) => T
  readonly operations: Operation[]
  readonly callbacks: (() => void)[]
}): OpenTransaction {
  const { engine, guarded, operations, callbacks } = parts
  let ended: string | undefined
  let depth = 0
  const q = queryOver({
    dialect: sqliteDialect,
    async execute(sql, parameters): Promise<Outcome> {
      if (ended !== undefined) throw new Error(`${ended}: ${excerpt(sql)}`)
      const kind = engine.kindOf(sql)
      if (kind === 'control')
        throw new Error(`Only the store runs this, see db.write and tx.attempt: ${excerpt(sql)}`)
      const values = checkParameters(parameters)
      try {
        const outcome = guarded(() => engine.execute(sql, values))
        // A statement that failed changed nothing, so it is not recorded.
        if (kind === 'write') operations.push({ sql, parameters: values })
        return outcome
      } catch (error) {
        if (kind === 'write' && !engine.isInTransaction()) ended = 'SQLite ended the transaction by itself'
        throw error
      }
    },
  })
  const tx: Tx = {
    q,
    afterCommit: (callback) => void callbacks.push(callback),
    whenVisible: (callback) => callback(),
    async attempt(work) {
      const name = `attempt_${depth}`
      const [keptOperations, keptCallbacks] = [operations.length, callbacks.length]
      engine.execute(`SAVEPOINT ${name}`, [])
      depth += 1
      try {
        return await work()
      } catch (error) {
        if (ended === undefined) engine.execute(`ROLLBACK TO ${name}`, [])
        operations.length = keptOperations
        callbacks.length = keptCallbacks
        throw error
      } finally {
        depth -= 1
        if (ended === undefined) engine.execute(`RELEASE ${name}`, [])
      }
    },
  }
  return {
    tx,
    end: (reason: string) => {
      ended ??= reason
    },
    assertAlive() {
      if (ended !== undefined) throw new Error(ended)
    },
  }
}
