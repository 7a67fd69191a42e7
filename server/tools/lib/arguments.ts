import { join, resolve } from 'node:path'
import { KeyFileError } from '../../auth/key-file.ts'
import { ConfigError, readConfig } from '../../config.ts'
import { recordName } from '../../db/engines/sqljs/record/record-file.ts'
import { StoreError } from '../../db/errors.ts'
import { existsSync, readdirSync } from '../../disk/fs.ts'
import { Problem } from '../../lib/fail.ts'
import { messageOf } from '../../lib/text/message-of.ts'
import { reasonOf } from '../../open-files.ts'
import { exitCodes, UsageError } from '../command/io/failure.ts'

export type ToolArguments = {
  readonly dataDir: string
  readonly flags: ReadonlySet<string>
  readonly rest: readonly string[]
}

/**
 * Parses `--data <folder>` (default: `DATA_DIR`) and the known flags of a tool. Throws `usage` for any other
 * flag.
 */
export function readToolArguments(
  args: readonly string[],
  known: readonly string[],
  usage: string,
): ToolArguments {
  const flags = new Set<string>()
  const rest: string[] = []
  let dataDir: string | undefined
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? ''
    if (argument === '--data') {
      index += 1
      dataDir = args[index]
      if (!dataDir) throw new ConfigError(usage)
    } else if (known.includes(argument)) flags.add(argument)
    else if (argument.startsWith('-')) throw new ConfigError(usage)
    else rest.push(argument)
  }
  return { dataDir: resolve(dataDir ?? readConfig(process.env).dataDir), flags, rest }
}

/** Throws if the data is in a database: the tool works on the store of a data folder. `instead`: what to do. */
export function requireDataFolder(instead: string): void {
  if (readConfig(process.env).database === null) return
  throw new ConfigError(
    `DATABASE_URL is set, so the data is in PostgreSQL. ${instead} Unset DATABASE_URL to use this on a data folder.`,
  )
}

/** Throws if a folder contains no data, so that no tool creates a store. */
export function requireData(dataDir: string): void {
  const store = join(dataDir, 'store')
  // A restore that failed in a new folder leaves the lock. The folder of a service on PostgreSQL has keys, but no store.
  const isEmpty = existsSync(join(store, 'run')) && readdirSync(store).length === 1
  if (existsSync(store) && !isEmpty) return
  if ([recordName, 'keys'].some((name) => existsSync(join(dataDir, name)))) return
  throw new ConfigError(
    `No Promptdeck data found in ${dataDir}. Choose another folder with --data or DATA_DIR.`,
  )
}

const expected = [ConfigError, KeyFileError, Problem, StoreError, UsageError]

/**
 * Runs a tool with the arguments of the process. An expected error is printed as one line, any other with its
 * stack.
 */
export function runTool(main: (args: readonly string[]) => Promise<void>): Promise<void> {
  return main(process.argv.slice(2)).catch((error: unknown) => {
    const isExpected = expected.some((type) => error instanceof type) || isSystemError(error)
    const text = isExpected || !(error instanceof Error) ? reasonOf(error) : error.stack
    process.stderr.write(`${text}${isDenied(error) ? '. Run this as the user of the service.' : ''}\n`)
    process.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.failure
  })
}

/** Returns true for an error of a system call. Its message names the call and the file. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error

const isDenied = (error: unknown): boolean =>
  isSystemError(error) && /^E(?:ACCES|PERM):/.test(messageOf(error))
