import { hash } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { writeFileDurably } from '../../../../disk/durable.ts'
import { closeSync, lstatSync, openSync, readFileSync, rmSync } from '../../../../disk/fs.ts'
import { endAll } from '../../../../lib/end-all.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { StoreError } from '../../../errors.ts'
import type { StoreLogger } from '../../../types.ts'
import { fileNames } from '../format/folder.ts'
import { closeServer, isOutOfFiles, listenAt } from './listener.ts'
import { type Answer, exchange } from './peer.ts'
import { socketAt } from './permissions.ts'
import { hasProcess } from './process-identity.ts'

/*
 * Version 0.1 locked a folder by a socket in the temporary directory. Its name is a hash of the folder, and
 * owner.json contains it. For one release this version listens there too: it detects a running 0.1, and a 0.1
 * that starts detects this process. Replies from there are not trusted: no URL is taken from them, and they
 * prevent the start only if owner.json, which other users cannot write, names the process that answers.
 */
const OwnerFile = z.object({ pid: z.int(), address: z.string(), epoch: z.int().optional() })
type OwnerFile = z.infer<typeof OwnerFile>

export type EarlierAddress = { close(): Promise<void> }

const STALE_GUARD_MS = 5000
/**
 * Time to wait for owner.json, in milliseconds. A starting 0.1 listens first and writes the file a few
 * milliseconds later.
 */
const OWNER_FILE_MS = 500

/** Returns the address of version 0.1 for a folder, given its real path. */
export const earlierAddressOf = (realFolder: string): string => {
  const name = `promptdeck-${hash('sha256', realFolder, 'hex').slice(0, 16)}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`)
}

/** Throws if a running 0.1 owns the folder, given its real path. */
export async function refuseEarlierVersion(folder: string): Promise<void> {
  const owner = readOwnerFile(folder)
  if (owner !== undefined && owner.epoch === undefined && (await isOwnedBy(owner)))
    throw ownedByEarlier(folder, owner)
}

/** Throws if a running 0.1 owns the folder. Otherwise listens at its address, if the address is free. */
export async function listenAtEarlierAddress(options: {
  readonly folder: string
  readonly epoch: number
  readonly answer: () => Answer
  readonly logger: Pick<StoreLogger, 'warn'> | undefined
}): Promise<EarlierAddress> {
  const { folder, epoch } = options
  const address = earlierAddressOf(folder)
  await refuseEarlierVersion(folder)
  const server = createServer((socket) => sendAnswer(socket, options.answer))
  let obstacle: string | undefined
  try {
    obstacle = await takeOver(address, () => listenAt(server, address))
  } catch (error) {
    if (isOutOfFiles(error)) throw error
    obstacle = messageOf(error)
  }
  if (obstacle !== undefined) {
    await closeServer(server)
    const starting = await startingEarlierVersion(folder, address)
    if (starting !== undefined) throw ownedByEarlier(folder, starting)
    options.logger?.warn(
      { address, reason: obstacle },
      'the address of version 0.1 is taken, so a 0.1 that starts will not notice this service',
    )
    return { close: async () => removeOwnerFile(folder, epoch) }
  }
  server.unref()
  try {
    writeFileDurably(folder, fileNames.owner, `${JSON.stringify({ pid: process.pid, address, epoch })}\n`)
  } catch (error) {
    await closeServer(server)
    throw error
  }
  return { close: () => endAll([() => removeOwnerFile(folder, epoch), () => closeServer(server)]) }
}

function sendAnswer(socket: Socket, answer: () => Answer): void {
  socket.on('error', () => socket.destroy())
  socket.end(`${JSON.stringify(answer())}\n`)
}

function readOwnerFile(folder: string): OwnerFile | undefined {
  try {
    return OwnerFile.parse(JSON.parse(readFileSync(join(folder, fileNames.owner), 'utf8')))
  } catch {
    // The file does not exist, or a crash left it incomplete: it names no process.
    return undefined
  }
}

function removeOwnerFile(folder: string, epoch: number): void {
  if (readOwnerFile(folder)?.epoch === epoch) rmSync(join(folder, fileNames.owner), { force: true })
}

/** Returns true if the process in owner.json answers, or accepts connections but is too busy to answer. */
async function isOwnedBy({ pid, address }: OwnerFile): Promise<boolean> {
  if (socketAt(address) !== 'own') return false
  const reply = await exchange(address, '')
  if (typeof reply !== 'string') return reply.kind === 'silent' && hasProcess(pid)
  return pidIn(reply) === pid
}

function pidIn(line: string): number | undefined {
  try {
    return z.object({ pid: z.int() }).parse(JSON.parse(line)).pid
  } catch {
    return undefined
  }
}

/** Returns the content of owner.json if a 0.1 that started at the same time took the address. */
async function startingEarlierVersion(folder: string, address: string): Promise<OwnerFile | undefined> {
  if (socketAt(address) !== 'own') return undefined
  const until = performance.now() + OWNER_FILE_MS
  do {
    const owner = readOwnerFile(folder)
    if (owner !== undefined && owner.epoch === undefined && (await isOwnedBy(owner))) return owner
    await delay(25)
  } while (performance.now() < until)
  return undefined
}

/**
 * Listens at the address, in place of an owner that has ended. Returns why that is not possible, or
 * undefined.
 */
async function takeOver(address: string, listen: () => Promise<void>): Promise<string | undefined> {
  if (process.platform === 'win32') return listen().then(() => undefined, messageOf)
  const guard = `${address}.takeover`
  const obstacle = createGuard(guard)
  if (obstacle !== undefined) return obstacle
  try {
    const found = socketAt(address)
    if (found === 'foreign') return `${address} is not a socket of this user`
    if (found === 'own') {
      const reply = await exchange(address, '')
      if (typeof reply === 'string' || reply.kind !== 'refused') return `somebody answers at ${address}`
      rmSync(address, { force: true })
    }
    await listen()
    return undefined
  } finally {
    rmSync(guard, { force: true })
  }
}

/** Removes a socket on which nothing listens. */
export const removeUnused = (address: string): Promise<unknown> => takeOver(address, async () => {})

/**
 * Creates the guard file of a takeover. Replaces one that a crash left behind. Returns why that is not
 * possible, or undefined.
 */
function createGuard(guard: string): string | undefined {
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      closeSync(openSync(guard, 'wx', 0o600))
      return undefined
    } catch (error) {
      if (isOutOfFiles(error)) throw error
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return messageOf(error)
    }
    const age = Date.now() - (lstatSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (age < STALE_GUARD_MS) break
    try {
      rmSync(guard, { force: true })
    } catch (error) {
      return messageOf(error)
    }
  }
  return `another start is under way, or a crash left ${guard} behind`
}

function ownedByEarlier(folder: string, { pid }: OwnerFile): StoreError {
  return new StoreError(
    'locked',
    `${folder} is in use by process ${pid}, an earlier version of Promptdeck. Stop it, then start again.`,
  )
}
