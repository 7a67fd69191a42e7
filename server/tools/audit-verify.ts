import { resolve } from 'node:path'
import type { ChainReport } from '../../contract/system/audit.ts'
import { type Config, readConfig } from '../config.ts'
import { StoreError } from '../db/errors.ts'
import type { Query } from '../db/types.ts'
import { readChainKeys } from '../history/chain/chain-key.ts'
import { readHead } from '../history/chain/head-file.ts'
import { verifyChain } from '../history/verify/verify.ts'
import { openToRead } from './copy/source.ts'
import { readToolArguments, runTool } from './lib/arguments.ts'

const usage = `Usage: npm run audit:verify [-- --data <data folder>]
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

async function verifyStopped(folder: string, database: Config['database']): Promise<Verdict> {
  const { read, restoredFrom, close } = await openToRead({ dataDir: folder, database }, quiet)
  try {
    if (restoredFrom === null) return await verify(folder, read)
    return {
      exitCode: 1,
      text: 'A backup was restored, and the service has not recorded it yet. Start the service once, with free disk space, then verify.',
    }
  } finally {
    await close()
  }
}

async function verify(folder: string, q: Query): Promise<Verdict> {
  const keys = await readChainKeys(folder)
  return verdictOf(await verifyChain({ q, keys, head: () => readHead(folder), now: new Date() }))
}

const quiet = { info: () => undefined, warn: report, error: report }

function report(details: object, message: string): void {
  process.stderr.write(`${message} ${JSON.stringify(details)}\n`)
}

async function main(args: readonly string[]): Promise<Verdict> {
  if (args.includes('--help')) return { exitCode: 0, text: usage }
  const { dataDir, rest } = readToolArguments(args, [], usage)
  const [argument = dataDir, ...more] = rest
  if (more.length > 0) return { exitCode: 1, text: usage }
  const { database } = readConfig(process.env)
  const folder = resolve(argument)
  try {
    return await verifyStopped(folder, database)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'locked') throw error
    const where = error.url === null ? 'it' : `it at ${error.url}`
    const text = `A service is using ${folder}. Use ${where} instead: GET /api/audit/verify, or the Audit page of the console.`
    return { exitCode: 1, text }
  }
}

await runTool(async (args) => {
  const { exitCode, text } = await main(args)
  const stream = exitCode === 0 ? process.stdout : process.stderr
  stream.write(`${text}\n`)
  process.exitCode = exitCode
})
