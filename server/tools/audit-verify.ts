import { join, resolve } from 'node:path'
import type { ChainReport } from '../../contract/system/audit.ts'
import { openDatabase } from '../compose/foundation/store.ts'
import { readConfig } from '../config.ts'
import type { DatabaseConfig } from '../config-database.ts'
import { readFolder } from '../db/engines/sqljs/format/folder.ts'
import { type OpenedStore, openDb } from '../db/engines/sqljs/open.ts'
import { StoreError } from '../db/errors.ts'
import { existsSync } from '../disk/fs.ts'
import { readChainKeys } from '../history/chain/chain-key.ts'
import { readHead } from '../history/chain/head-file.ts'
import { verifyChain } from '../history/verify/verify.ts'
import { messageOf } from '../lib/text/message-of.ts'
import { requireData } from './lib/arguments.ts'

const usage = `Usage: npm run audit:verify [-- <data folder>]
Verifies every entry of the audit log in a data folder (default: DATA_DIR) that no service is using; with DATABASE_URL,
the log in that database.
Exit code 0: every entry is intact. 2: no entry is known to be changed, but some cannot be verified because their key
is missing. 1: otherwise.`

const exitCodes = { verified: 0, broken: 1, unverifiable: 2 } as const

type Verdict = { readonly exitCode: 0 | 1 | 2; readonly text: string }

const verdictOf = (report: ChainReport): Verdict => {
  const { entries, head, status, reason, first_broken_id, unverifiable_before } = report
  const exitCode = exitCodes[status]
  const size = entries === 1 ? '1 entry' : `${entries} entries`
  const before =
    unverifiable_before === null
      ? ''
      : `\nEntries before ${unverifiable_before} cannot be verified (of ${size}).`
  if (status === 'verified') {
    const end = head === null ? '' : `\nThe newest entry is ${head.id}, with the hash ${head.hash}.`
    const note = reason === null ? '' : `\nNote: ${reason}`
    return { exitCode, text: `The audit log is intact: ${size} verified.${end}${note}` }
  }
  if (status === 'unverifiable') {
    return { exitCode, text: `Part of the audit log cannot be verified. ${reason}${before}` }
  }
  const where = first_broken_id === null ? '' : `\nFirst altered entry: ${first_broken_id} (of ${size}).`
  return { exitCode, text: `The audit log was altered. ${reason}${where}${before}` }
}

/**
 * Verifies the store of a data folder. Opens it under its lock, as the service does, so that the journal is
 * included and nobody writes during the check.
 */
async function verifyFolder(folder: string): Promise<Verdict> {
  const storeFolder = join(folder, 'store')
  if (!existsSync(storeFolder) || readFolder(storeFolder).snapshots.length === 0) {
    return { exitCode: 1, text: `No Promptdeck data found in ${folder}.` }
  }
  const maxStoreBytes = readConfig({ DATA_DIR: folder }).maxStoreBytes
  return verifyStore(
    folder,
    await openDb({ folder: storeFolder, dataDir: folder, maxStoreBytes, logger: quiet }),
  )
}

/** Verifies the database. Its keys and the signed head are in the data folder, which is locked as well. */
async function verifyDatabase(folder: string, database: DatabaseConfig): Promise<Verdict> {
  requireData(folder)
  return verifyStore(folder, await openDatabase({ dataDir: folder }, database, { logger: quiet }))
}

/** Verifies an open store, and closes it. */
async function verifyStore(folder: string, store: OpenedStore): Promise<Verdict> {
  try {
    if (store.restoredFrom !== null) {
      return {
        exitCode: 1,
        text: 'A backup was restored, and the service has not recorded it yet. Start the service once, with free disk space, then verify.',
      }
    }
    const keys = await readChainKeys(folder)
    const head = () => readHead(folder)
    return verdictOf(await verifyChain({ q: store.db.read, keys, head, now: new Date() }))
  } finally {
    await store.db.close()
  }
}

const quiet = { info: () => undefined, warn: report, error: report }

function report(details: object, message: string): void {
  process.stderr.write(`${message} ${JSON.stringify(details)}\n`)
}

async function main(args: readonly string[]): Promise<Verdict> {
  const [argument, ...rest] = args
  if (rest.length > 0 || argument?.startsWith('-'))
    return { exitCode: argument === '--help' ? 0 : 1, text: usage }
  const { dataDir, database } = readConfig(process.env)
  const folder = resolve(argument ?? dataDir)
  try {
    return await (database === null ? verifyFolder(folder) : verifyDatabase(folder, database))
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'locked') throw error
    const where = error.url === null ? 'it' : `it at ${error.url}`
    const text = `A service is using ${folder}. Use ${where} instead: GET /api/audit/verify, or the Audit page of the console.`
    return { exitCode: 1, text }
  }
}

await main(process.argv.slice(2)).then(
  ({ exitCode, text }) => {
    const stream = exitCode === 0 ? process.stdout : process.stderr
    stream.write(`${text}\n`)
    process.exitCode = exitCode
  },
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`)
    process.exitCode = 1
  },
)
