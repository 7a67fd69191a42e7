import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { readTop } from './compose-file.ts'

/** Returns a TCP port that is free now: Caddy does not report one that it chose. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Waits until Caddy logs that it serves its configuration. Rejects with its log if it ends first. */
async function served(child: ChildProcess): Promise<void> {
  const log: string[] = []
  if (child.stderr === null) throw new Error('the log of Caddy is not read')
  // Reading continues afterwards, so that the pipe never fills.
  const lines = createInterface({ input: child.stderr })
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(line)
      if (line.includes('serving initial configuration')) resolve()
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`Caddy did not start:\n${log.join('\n')}`)))
  })
}

/** Starts Caddy with `deploy/Caddyfile` and the variables of the compose file. Returns a function that ends it. */
export async function startBalancer(
  variables: Readonly<Record<string, string>>,
): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'promptdeck-balancer-'))
  const file = join(folder, 'Caddyfile')
  const text = readTop('deploy/Caddyfile')
  // In its container, Caddy listens on every interface. No test does.
  await writeFile(file, text.replace('admin off', 'admin off\n\tdefault_bind 127.0.0.1'))
  const places = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: { PATH: process.env['PATH'], ...places, ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  await served(child)
  return async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
}
