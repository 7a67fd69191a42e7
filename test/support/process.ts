import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { earlierAddressOf } from '../../server/db/engines/sqljs/lock/earlier-address.ts'
import { copyStartedFolder } from './empty-store/copy.ts'
import { engineVariables } from './postgres/databases.ts'
import { serviceToken } from './service.ts'

/** The program of the service. */
export const cli = fileURLToPath(new URL('../../dist/bundle/service/cli.js', import.meta.url))

/** The processes are too short-lived for optimized code to pay off. */
export const nodeFlags = ['--liftoff-only', '--no-opt', '--no-maglev']

export type ServiceProcess = {
  readonly url: string
  readonly child: ChildProcess
  /** Returns the output on stderr so far. */
  stderr(): string
  /** Sends SIGKILL. */
  kill(): Promise<void>
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
}

export type Exit = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

export const environment = (env: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  TMPDIR: process.env['TMPDIR'],
  PORT: '0',
  LOG_LEVEL: 'warn',
  SERVICE_TOKEN: serviceToken,
  ...env,
})

/** Returns the environment of a process on the engine of the test run. */
const engineEnvironment = async (env: Readonly<Record<string, string>>): Promise<NodeJS.ProcessEnv> =>
  environment({ ...(await engineVariables(env['DATA_DIR'])), ...env })

type ServiceOptions = {
  /**
   * True for a start without a store, which hashes the password of the first admin. Otherwise a new data folder becomes
   * one in which a service has started before.
   */
  readonly isFirstStart?: boolean
}

/**
 * Starts the service as a separate process, like `npm run serve`. Rejects with the reason if it does not
 * start.
 */
export async function spawnService(
  env: Readonly<Record<string, string>> & { readonly DATA_DIR: string },
  { isFirstStart = false }: ServiceOptions = {},
): Promise<ServiceProcess> {
  if (!isFirstStart && env['DATABASE_URL'] === undefined) await copyStartedFolder(env.DATA_DIR)
  // Hashing takes six times as long without optimized code.
  const child = spawn(process.execPath, [...(isFirstStart ? [] : nodeFlags), cli], {
    env: await engineEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /^listening on (http:\S+)$/.exec(line)?.[1]
      if (found) resolve(found)
    })
    exited.then(([code]) => reject(new Error(`the service ended with ${code}: ${stderr}`)), reject)
  })
  return {
    url,
    child,
    stderr: () => stderr,
    async kill() {
      child.kill('SIGKILL')
      await exited
      // The next start on the folder would remove it, but most tests delete the folder.
      const store = join(env.DATA_DIR, 'store')
      if (existsSync(store)) rmSync(earlierAddressOf(realpathSync(store)), { force: true })
    },
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

/**
 * Runs the service until it exits, for starts that must be refused. `openFiles` limits its file descriptors; `args`
 * are its arguments.
 */
export async function runService(
  env: Readonly<Record<string, string>>,
  { openFiles, args: given = [] }: { readonly openFiles?: number; readonly args?: readonly string[] } = {},
): Promise<Exit> {
  const [command, args] =
    openFiles === undefined
      ? [process.execPath, [...nodeFlags, cli, ...given]]
      : ['/bin/sh', ['-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh', process.execPath, ...nodeFlags, cli]]
  const child = spawn(command, args, { env: await engineEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

type ToolExit = Omit<Exit, 'code'> & { readonly status: number | null }

/** Runs a tool of the bundle. Asynchronous, because a service in this process replies to the lock query. */
export const runTool = (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ToolExit> =>
  new Promise((resolve) => {
    const { PATH, TMPDIR } = process.env
    const options = { env: { PATH, TMPDIR, ...env } }
    const file = join(dirname(cli), `${name}.js`)
    const child = execFile(process.execPath, [file, ...args], options, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    )
  })
