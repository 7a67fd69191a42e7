import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Cluster, startPostgres } from '../../scripts/lib/postgres-server.mjs'
import type { ProbeCommand, ProbeReply, Profile, Watched } from './probe.ts'

export const token = 'a-bench-token-of-more-than-32-characters'

const built = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(built, '../../package.json'), 'utf8'))
/** The flags of V8 with which `npm run serve` starts the service. */
const serviceFlags = String(scripts.serve)
  .split(' ')
  .filter((word) => word.startsWith('--'))
const serviceFile = join(built, '../bundle/service/cli.js')
const probeFile = join(built, 'frame/probe.js')

/** A process that takes part in a measurement. */
export type Helper = {
  /** Sends a message to the program and returns its reply. */
  readonly request: (message: object) => Promise<unknown>
}

/** A measured process that listens at `url`. */
export type Process = Helper & {
  readonly url: string
  /** Returns the processor time of all its threads so far, in microseconds. */
  readonly cpu: () => Promise<number>
  /** Returns its memory in bytes after a garbage collection; `heap` includes buffers. */
  readonly memory: () => Promise<{ readonly rss: number; readonly heap: number }>
  /** Returns the longest stall (ms) and the largest resident memory (bytes) during the work. */
  readonly watch: (work: () => Promise<unknown>) => Promise<Watched>
  /** Records a processor profile during the work. */
  readonly profile: (work: () => Promise<unknown>) => Promise<Profile>
  /** Ends it before the others. */
  readonly end: () => Promise<void>
}

export type Processes = {
  /** Starts the service with an empty data folder, or with the folder `DATA_DIR`, which is kept. */
  readonly service: (env?: NodeJS.ProcessEnv) => Promise<Process>
  readonly newFolder: () => string
  /** Starts a program of `bench/counterparts`. */
  readonly counterpart: (name: string) => Promise<Process>
  /** Starts a program of `bench/counterparts` that does not listen. */
  readonly helper: (name: string) => Promise<Helper>
  /** Starts a PostgreSQL server with an empty database, with its default durability. Returns the URL of the database. */
  readonly postgres: () => Promise<string>
  /** Ends all of them and deletes their folders. */
  readonly stop: () => Promise<void>
}

export function createProcesses(): Processes {
  const children: ChildProcess[] = []
  const folders: string[] = []
  const servers: Cluster[] = []

  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-'))
    folders.push(folder)
    return folder
  }
  const begin = (file: string, env: NodeJS.ProcessEnv): ChildProcess => {
    const flags = file === serviceFile ? serviceFlags : []
    const child = fork(file, {
      env: { ...process.env, NODE_ENV: 'production', ...env },
      execArgv: ['--expose-gc', '--import', probeFile, ...flags],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    children.push(child)
    return child
  }
  const start = async (file: string, env: NodeJS.ProcessEnv = {}): Promise<Process> => {
    const child = begin(file, env)
    const url = await firstMatch(child, file, /^listening on (http:\S+)$/)
    child.stdout?.resume()
    return { url, ...probeMethods(createRequest(child)), end: () => end(child) }
  }
  const fileOf = (name: string) => join(built, 'counterparts', `${name}.js`)

  return {
    newFolder,
    service(env) {
      const folder = env?.['DATA_DIR'] ?? newFolder()
      const limits = { REQUESTS_PER_MINUTE: '100000000', LIVE_CONNECTIONS: '100000' }
      const own = { PORT: '0', DATA_DIR: folder, SERVICE_TOKEN: token, LOG_LEVEL: 'warn', ...limits }
      return start(serviceFile, { ...own, ...env })
    },
    counterpart: (name) => start(fileOf(name)),
    async helper(name) {
      const child = begin(fileOf(name), {})
      // The probe listens from the start: a message sent before the program listens would be lost.
      await firstMatch(child, name, /^(ready)$/)
      return { request: createRequest(child) }
    },
    async postgres() {
      const server = await startPostgres()
      servers.push(server)
      return server.urlOf('postgres')
    },
    async stop() {
      await Promise.all(children.splice(0).map(end))
      for (const server of servers.splice(0)) await server.close()
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits for a line of the output and returns the part of it in parentheses. */
async function firstMatch(child: ChildProcess, name: string, line: RegExp): Promise<string> {
  if (child.stdout === null) throw new Error(`${name} has no output`)
  for await (const text of createInterface({ input: child.stdout })) {
    const found = line.exec(text)?.[1]
    if (found !== undefined) return found
  }
  throw new Error(`${name} ended before it was ready`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }

/**
 * Returns a function that sends a message with an id and resolves with the reply that has the same id. Rejects if the
 * process ends first.
 */
function createRequest(child: ChildProcess): Helper['request'] {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  child.on('message', (message: { readonly id: number; readonly value: unknown }) => {
    waiting.get(message.id)?.resolve(message.value)
    waiting.delete(message.id)
  })
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`a measured process ended with ${code}`))
  })
  return (message) =>
    new Promise((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      child.send({ ...message, id: lastId })
    })
}

function probeMethods(request: Helper['request']): Omit<Process, 'url' | 'end'> {
  // The type of the reply depends on the command.
  const probe = async <T extends ProbeReply>(command: ProbeCommand) =>
    (await request({ probe: command })) as T
  return {
    request,
    cpu: async () => (await probe<{ cpu: number }>('cpu')).cpu,
    memory: () => probe<{ rss: number; heap: number }>('memory'),
    async watch(work) {
      await probe<null>('watch')
      await work()
      return probe<Watched>('watch-end')
    },
    async profile(work) {
      await probe<null>('profile')
      await work()
      return probe<Profile>('profile-end')
    },
  }
}
