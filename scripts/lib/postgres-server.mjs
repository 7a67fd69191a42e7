import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { findPostgres } from './postgres.mjs'

/**
 * A PostgreSQL server of tests or measurements, in a temporary folder. It listens on a socket in that folder only.
 * `urlOf` returns the URL of a database, which may not exist yet. `kill` stops the server immediately, as after a
 * crash; `start` starts it again. `close` stops it and removes its folder.
 * @typedef {{ urlOf(database: string): string, kill(): Promise<void>, start(): Promise<void>, close(): Promise<void> }} Cluster
 * @typedef {{ uid?: number, gid?: number }} Ids
 */

/** Not the superuser's default name, so that nothing depends on it. */
const user = 'promptdeck'
/** PostgreSQL refuses to run as root, so it runs as the account of its Debian package. */
const account = 'postgres'

/** Settings of every server. */
const settings = { listen_addresses: '', max_connections: '200' }

/** Faster settings for tests. Nothing survives a failure of the machine, which no test simulates. */
export const testSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  autovacuum: 'off',
}

/** @returns {Promise<Ids>} */
async function idsOfServer() {
  if (process.getuid?.() !== 0) return {}
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((entry) => entry.startsWith(`${account}:`))
  if (line === undefined) throw new Error(`PostgreSQL cannot run as root, and there is no account ${account}`)
  const [, , uid, gid] = line.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * Creates and starts a server with settings in addition to its defaults. Texts of its databases sort by the rules of a
 * language, so that tests notice a column without the collation "C".
 * @param {Readonly<Record<string, string>>} [extra]
 * @returns {Promise<Cluster>}
 */
export async function startPostgres(extra = {}) {
  const programs = findPostgres()
  if (programs === null) throw new Error('There is no PostgreSQL server (apt-get install postgresql)')
  const ids = await idsOfServer()
  const folder = await mkdtemp(join(tmpdir(), 'promptdeck-pg-'))
  const data = join(folder, 'data')
  await mkdir(data, { mode: 0o700 })
  if (ids.uid !== undefined && ids.gid !== undefined) {
    await chown(folder, ids.uid, ids.gid)
    await chown(data, ids.uid, ids.gid)
  }
  await promisify(execFile)(
    join(programs, 'initdb'),
    [
      ...['-D', data, '-U', user, '-A', 'trust', '-E', 'UTF8', '--no-sync'],
      ...['--locale=C', '--locale-provider=icu', '--icu-locale=en'],
    ],
    { ...ids, cwd: folder },
  )
  const options = Object.entries({ ...settings, unix_socket_directories: folder, ...extra })
  const args = ['-D', data, ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const start = () => startServer(join(programs, 'postgres'), args, { ...ids, cwd: folder })
  let stop = await start()
  return {
    urlOf: (database) => `postgres:///${database}?host=${encodeURIComponent(folder)}&user=${user}`,
    kill: () => stop('SIGQUIT'),
    async start() {
      stop = await start()
    },
    async close() {
      await stop('SIGQUIT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Starts the process and waits until it accepts connections. Returns a function that ends it with a signal.
 * @param {string} program @param {readonly string[]} args @param {Ids & { cwd: string }} options
 */
async function startServer(program, args, options) {
  const server = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  /** @type {string[]} */
  const output = []
  const lines = createInterface({ input: server.stderr })
  const ended = once(server, 'exit')
  await /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      lines.on('line', (line) => {
        if (output.length < 50) output.push(line)
        if (line.includes('ready to accept connections')) resolve()
      })
      server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${output.join('\n')}`)))
      server.once('error', reject)
    })
  )
  return async (/** @type {NodeJS.Signals} */ signal) => {
    server.kill(signal)
    await ended
    lines.close()
  }
}
