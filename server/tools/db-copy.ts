import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import cliProgress from 'cli-progress'
import type { ChainReport } from '../../contract/system/audit.ts'
import { ConfigError, readConfig } from '../config.ts'
import { partitionUnitOf } from '../config-database.ts'
import { createLogger } from '../lib/logger.ts'
import { messageOf } from '../lib/text/message-of.ts'
import { type CopyReport, copyStore, type Progress } from './copy/copy-store.ts'
import { nameOf, placeOf } from './copy/place.ts'
import { runTool } from './lib/arguments.ts'

const usage = `Usage: promptdeck db copy --from <place> --to <place> [--files <folder>]
One place is a data folder, the other postgres://<user>:<password>@<host>/<database>. --files: the data folder beside the database.`

function readArguments(args: readonly string[]) {
  const option = { type: 'string' } as const
  try {
    const { values } = parseArgs({ args: [...args], options: { from: option, to: option, files: option } })
    return values
  } catch (error) {
    throw new ConfigError(`${messageOf(error)}\n\n${usage}`)
  }
}

/** Creates a progress bar. It is shown only on a terminal. */
function createBar(): Progress {
  const bar = new cliProgress.SingleBar(
    { format: '{phase} {bar} {percentage}% · {value} of {total} rows · {eta_formatted} left', etaBuffer: 50 },
    cliProgress.Presets.shades_classic,
  )
  return {
    begin: (phase, rows) => bar.start(rows, 0, { phase }),
    add: (rows) => bar.increment(rows),
    end: () => bar.stop(),
  }
}

function describeChain({ status, entries, reason }: ChainReport): string {
  if (status === 'verified') return `The audit log is intact: ${entries} entries verified.`
  const known = 'The copy has the same entries as the source.'
  return `The audit log ${status === 'broken' ? 'was altered' : 'cannot be verified completely'}. ${reason ?? ''} ${known}`
}

function describe(
  { isContinued, tables, chain, files }: CopyReport,
  target: string,
  seconds: number,
): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const width = Math.max(...tables.map(({ table }) => table.length))
  const begun = isContinued ? 'Continued and finished the copy of' : 'Copied'
  return [
    `${begun} ${rows} rows in ${tables.length} tables${files === null ? '' : ` and ${files} files`} to ${target} (${seconds} s).`,
    'Every row is equal. Rows and SHA-256 of each table:',
    ...tables.map(
      ({ table, rows: count, hash }) => `  ${table.padEnd(width)} ${String(count).padStart(9)} ${hash}`,
    ),
    describeChain(chain),
    '',
  ].join('\n')
}

async function main(args: readonly string[]): Promise<void> {
  const { from, to, files } = readArguments(args)
  if (from === undefined || to === undefined) throw new ConfigError(usage)
  // Throws an error that lists all invalid environment variables.
  readConfig(process.env)
  const interruption = new AbortController()
  const interrupt = () =>
    interruption.abort(new ConfigError('Interrupted. Run the same command again to continue.'))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt)
  const target = placeOf(to)
  const progress = createBar()
  const startMs = performance.now()
  try {
    const report = await copyStore({
      from: placeOf(from),
      to: target,
      files: files === undefined ? null : resolve(files),
      partitionBy: partitionUnitOf(process.env),
      logger: createLogger({ logLevel: 'error' }),
      signal: interruption.signal,
      progress,
    })
    const seconds = Math.round((performance.now() - startMs) / 1000)
    process.stdout.write(describe(report, nameOf(target), seconds))
    if (report.chain.status === 'broken') process.exitCode = 1
  } finally {
    progress.end()
  }
}

await runTool(main)
