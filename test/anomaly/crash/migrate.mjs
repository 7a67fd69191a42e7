// Opens a store with every migration: `node migrate.mjs <folder>`. The test kills this process meanwhile.
import { openDb } from '../../../dist/server/db/engines/sqljs/open.js'
import { all } from './migrations.mjs'

const quiet = { info() {}, warn() {}, error() {} }
const [folder = ''] = process.argv.slice(2)
const { db } = await openDb({ folder, maxStoreBytes: 64 * 1024 * 1024, logger: quiet, migrations: all })
await db.close()
