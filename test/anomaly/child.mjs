// A separate process with a store: `node child.mjs <folder> hold|write [url]`. Prints each action on a line.
import { openDb } from '../../dist/server/db/engines/sqljs/open.js'

const [folder = '', mode = 'hold', url] = process.argv.slice(2)
const quiet = { info() {}, warn() {}, error() {} }
const statements = ['CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT) STRICT']
const migrations = [{ version: 1, name: 'child', statements }]
const tuning = { segmentBytes: 64 * 1024, journalTransactions: 400 }
const tag = process.env['CHILD_TAG'] ?? 'n'
let id = 0

/** @param {import('../../server/db/types.ts').Db} db */
async function write(db) {
  id += 1
  const mine = id
  await db.write((tx) =>
    tx.q
      .insertInto('items')
      .values({ id: mine, name: `${tag}${mine}`.padEnd(mine % 300, '.') })
      .execute(),
  )
  process.stdout.write(`${mine}\n`)
}

try {
  const { db, lock } = await openDb({
    folder,
    maxStoreBytes: 64 * 1024 * 1024,
    logger: quiet,
    migrations,
    tuning,
    onFatal(error) {
      process.stderr.write(`Stopped: ${error.message}\n`)
      process.exit(1)
    },
  })
  if (url !== undefined) lock.announce(url)
  const row = await db.read
    .selectFrom('items')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirst()
  id = Number(row?.last ?? 0)
  process.stdout.write('open\n')
  if (mode === 'write') {
    const writer = async () => {
      for (;;) await write(db)
    }
    await Promise.all(Array.from({ length: 8 }, writer))
  }
  process.stdin.resume()
  process.stdin.once('end', () => db.close().then(() => process.exit(0)))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
