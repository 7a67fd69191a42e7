import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

// A script is not compiled, so it stays in the sources.
const script = join(import.meta.dirname, '../../../bench/counterparts/native-sqlite.py')

/** Number of concurrent writers, of rows in each transaction, and the duration in seconds. */
export type WriteLoad = { readonly writers: number; readonly rows: number; readonly seconds: number }

export type NativeSqlite = {
  /** Returns the rows per second that native SQLite writes with `synchronous = FULL`. */
  readonly rate: (journal: 'delete' | 'wal', writeLoad: WriteLoad) => Promise<number>
  readonly stop: () => Promise<void>
}

/** Starts native SQLite: the `sqlite3` module of Python, because Node has one only from version 22. */
export function startNativeSqlite(): NativeSqlite {
  const child = spawn('python3', [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async rate(journal, { writers, rows, seconds }) {
      child.stdin.write(`${JSON.stringify({ journal, writers, rows, seconds })}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error('Native SQLite ended. It needs python3.')
      const { perSecond }: { perSecond: number } = JSON.parse(value)
      return perSecond
    },
    async stop() {
      child.stdin.end()
      await exited
    },
  }
}
