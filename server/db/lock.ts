import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, StoreError } from './errors.ts'
import { fileNames, writeFileDurably } from './files.ts'

/** One process per folder. The holder listens on a local socket named by the folder and answers with its URL. */
export type Lock = {
  /** What a second process is told from now on. */
  announce(url: string): void
  release(): Promise<void>
}

type Answer = { readonly pid: number; readonly url: string | null }

/** A holder that is alive answers in a millisecond; one that is busy still accepts. */
const ANSWER_MS = 1000
/** A takeover lasts milliseconds; a guard older than this was left by a crash. */
const STALE_GUARD_MS = 5000
const PATIENCE_MS = 1800

export async function acquireLock(folder: string): Promise<Lock> {
  mkdirSync(folder, { recursive: true })
  const address = addressOf(folder)
  let url: string | null = null
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(`${JSON.stringify({ pid: process.pid, url } satisfies Answer)}\n`)
  })
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    await refuseIfHeld(folder, address)
    if (await takeOver(server, address)) break
    if (Date.now() > deadline)
      throw new StoreError('locked', `Another process is just opening ${folder}. Try again.`)
    await delay(25)
  }
  server.unref()
  const owner = join(folder, fileNames.owner)
  writeFileDurably(folder, fileNames.owner, `${JSON.stringify({ pid: process.pid, address })}\n`)
  return {
    announce(next) {
      url = next
    },
    release() {
      rmSync(owner, { force: true })
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** The URL of the service that has `folder` open; null when none has, or it has not said where it listens. */
export async function findRunning(folder: string): Promise<string | null> {
  try {
    return (await askHolder(folder, addressOf(folder)))?.url ?? null
  } catch {
    // No such folder yet.
    return null
  }
}

/** A socket path must stay below 104 bytes, so the folder is in it as a hash. */
export function addressOf(folder: string): string {
  const name = `promptdeck-${createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 16)}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`)
}

async function refuseIfHeld(folder: string, address: string): Promise<void> {
  const answer = await askHolder(folder, address)
  if (answer === undefined) return
  const where = answer.url === null ? 'it is starting or stopping' : `it listens on ${answer.url}`
  const message = `${folder} is in use by process ${answer.pid || 'unknown'}: ${where}.`
  throw new StoreError('locked', message, { url: answer.url })
}

/** The holder may have been started with another TMPDIR: then its address is only in the folder. */
async function askHolder(folder: string, address: string): Promise<Answer | undefined> {
  const answer = await ask(address)
  if (answer !== undefined) return answer
  const recorded = recordedAddress(folder)
  return recorded === undefined || recorded === address ? undefined : ask(recorded)
}

function recordedAddress(folder: string): string | undefined {
  try {
    const owner = JSON.parse(readFileSync(join(folder, fileNames.owner), 'utf8')) as { address?: unknown }
    return typeof owner.address === 'string' ? owner.address : undefined
  } catch {
    // Nobody wrote one, or a crash tore it: then it names nobody.
    return undefined
  }
}

/** Undefined when nobody listens. A holder too busy to answer still holds. */
function ask(address: string): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(address)
    const timer = setTimeout(() => {
      socket.destroy()
      resolve({ pid: 0, url: null })
    }, ANSWER_MS)
    const settle = (answer: Answer | undefined): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('end', () => settle(parse(text)))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const isNobody = error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTSOCK'
      settle(isNobody ? undefined : { pid: 0, url: null })
    })
  })
}

function parse(text: string): Answer {
  try {
    const { pid, url } = JSON.parse(text) as Partial<Answer>
    return { pid: Number(pid) || 0, url: typeof url === 'string' ? url : null }
  } catch {
    return { pid: 0, url: null }
  }
}

/** Listens in place of a holder that is gone. Two that try at once meet at the guard file. False: try again. */
async function takeOver(server: Server, address: string): Promise<boolean> {
  if (process.platform === 'win32') return listen(server, address)
  const guard = `${address}.takeover`
  try {
    closeSync(openSync(guard, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(address, error)
    if (isOlderThan(guard, STALE_GUARD_MS)) rmSync(guard, { force: true })
    return false
  }
  try {
    if ((await ask(address)) !== undefined) return false
    rmSync(address, { force: true })
    return await listen(server, address)
  } finally {
    rmSync(guard, { force: true })
  }
}

function listen(server: Server, address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(unusable(address, error))
    }
    server.once('error', onError)
    server.listen(address, () => {
      server.off('error', onError)
      resolve(true)
    })
  })
}

function isOlderThan(file: string, ms: number): boolean {
  try {
    return Date.now() - statSync(file).mtimeMs > ms
  } catch {
    // Gone meanwhile: its owner has finished.
    return false
  }
}

function unusable(address: string, error: unknown): StoreError {
  return new StoreError('unreadable', `The lock ${address} cannot be used: ${messageOf(error)}`, {
    cause: error,
  })
}
