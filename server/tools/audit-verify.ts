import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ChainReport } from '../../contract/audit.ts'
import { readConfig } from '../config.ts'
import { StoreError } from '../db/errors.ts'
import { readFolder } from '../db/files.ts'
import { openDb } from '../db/open.ts'
import { readChainKey } from '../history/chain-key.ts'
import { readHead } from '../history/head-file.ts'
import { verifyChain } from '../history/verify.ts'

const usage = `Usage: npm run audit:verify [-- <data folder>]
Checks every link of the audit log while no service runs on the folder (DATA_DIR unless given).
Ends with 0 when every entry is as it was written, else with 1.`

type Verdict = { readonly isOk: boolean; readonly text: string }

const say = ({ entries, head, ok, reason, first_broken_id }: ChainReport): Verdict => {
  const size = entries === 1 ? '1 entry' : `${entries} entries`
  if (ok) {
    const end = head === null ? '' : `\nThe newest is ${head.id}, sealed ${head.hash}.`
    const note = reason === null ? '' : `\nNote: ${reason}`
    return { isOk: true, text: `The audit log is whole: ${size}, each as it was written.${end}${note}` }
  }
  const where = first_broken_id === null ? '' : `\nFirst entry concerned: ${first_broken_id} (of ${size}).`
  return { isOk: false, text: `The audit log does not verify. ${reason}${where}` }
}

/** Opens the store under its lock, as a start would: the journal counts, and nobody writes meanwhile. */
async function verifyFolder(folder: string): Promise<Verdict> {
  const storeFolder = join(folder, 'store')
  if (!existsSync(storeFolder) || readFolder(storeFolder).snapshots.length === 0) {
    return { isOk: false, text: `There is no Promptdeck data in ${folder}.` }
  }
  const quiet = { info: () => undefined, warn: report, error: report }
  const maxStoreBytes = readConfig({ DATA_DIR: folder }).maxStoreBytes
  const store = await openDb({ folder: storeFolder, maxStoreBytes, logger: quiet })
  try {
    if (store.restoredFrom !== null) {
      return {
        isOk: false,
        text: 'A backup was restored and the service has not started since, so the log does not say so yet. Start the service once, then verify.',
      }
    }
    const key = await readChainKey(folder)
    return say(await verifyChain({ q: store.db.read, key, head: () => readHead(folder), now: new Date() }))
  } finally {
    await store.db.close()
  }
}

function report(details: object, message: string): void {
  process.stderr.write(`${message} ${JSON.stringify(details)}\n`)
}

async function main(args: readonly string[]): Promise<Verdict> {
  const [given, ...rest] = args
  if (rest.length > 0 || given?.startsWith('-')) return { isOk: given === '--help', text: usage }
  const folder = resolve(given ?? readConfig(process.env).dataDir)
  try {
    return await verifyFolder(folder)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'locked') throw error
    const where = error.url === null ? 'it' : `it at ${error.url}`
    const text = `A service is running on ${folder}. Ask ${where} instead: GET /api/audit/verify, or the Audit page of the console.`
    return { isOk: false, text }
  }
}

main(process.argv.slice(2)).then(
  ({ isOk, text }) => {
    const stream = isOk ? process.stdout : process.stderr
    stream.write(`${text}\n`)
    process.exitCode = isOk ? 0 : 1
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  },
)
