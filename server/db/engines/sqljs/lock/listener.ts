import { randomBytes } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chmodSync, lstatSync, mkdtempSync, realpathSync, rmSync } from '../../../../disk/fs.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { StoreError } from '../../../errors.ts'
import { removeSocket, SOCKET_FOLDER } from './claims.ts'

/** A local socket that is created again if its file disappears. */
export type Listener = {
  address(): string
  /** Listens again if the socket file is missing. Returns true if the address changed. */
  repair(): Promise<boolean>
  close(): Promise<void>
}

/** The lowest limit of all systems in bytes (macOS); Linux allows 107. */
const MAX_SOCKET_PATH_BYTES = 103
const MAX_CONNECTIONS = 64

/**
 * Listens at a random name in `run`, or in a private folder of the temporary directory if that path is too
 * long. Throws a StoreError if no socket can be created.
 */
export async function listenIn(run: string, onConnection: (socket: Socket) => void): Promise<Listener> {
  let server = createServer()
  let address = ''
  let inode: bigint | undefined

  async function open(): Promise<void> {
    let reason: unknown
    for (const candidate of addressesIn(run)) {
      server = createServer(onConnection)
      server.maxConnections = MAX_CONNECTIONS
      try {
        address = candidate()
        await listenAt(server, address)
        server.unref()
        if (process.platform !== 'win32') chmodSync(address, 0o600)
        inode = inodeAt(address)
        return
      } catch (error) {
        reason = error
        await closeServer(server)
        if (isOutOfFiles(error)) break
      }
    }
    if (isOutOfFiles(reason)) throw reason
    const message = `No local socket can be created for the lock of ${run}: ${messageOf(reason)}`
    throw new StoreError('unreadable', message, { cause: reason })
  }

  async function closeSocket(): Promise<void> {
    await closeServer(server)
    removeSocket(run, address)
  }

  await open()
  return {
    address: () => address,
    async repair() {
      if (process.platform === 'win32' || inodeAt(address) === inode) return false
      await closeSocket()
      await open()
      return true
    },
    close: closeSocket,
  }
}

function addressesIn(run: string): (() => string)[] {
  const name = randomBytes(4).toString('hex')
  if (process.platform === 'win32')
    return [() => `\\\\.\\pipe\\promptdeck-${randomBytes(16).toString('hex')}`]
  const direct = join(run, `${name}.sock`)
  // mkdtemp creates private folders. The second is for a TMPDIR that is itself too long.
  const inTemporary = [tmpdir(), '/tmp'].map((folder) => () => {
    const path = join(mkdtempSync(join(realpathSync(folder), SOCKET_FOLDER)), 'owner.sock')
    if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path
    rmSync(dirname(path), { recursive: true, force: true })
    throw new Error(`the path ${path} is too long for a socket`)
  })
  return Buffer.byteLength(direct) <= MAX_SOCKET_PATH_BYTES ? [() => direct, ...inTemporary] : inTemporary
}

export function listenAt(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      server.off('error', reject)
      // A later failure to accept, such as a lack of descriptors, needs no action: the other process retries.
      server.on('error', () => {})
      resolve()
    })
  })
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

function inodeAt(address: string): bigint | undefined {
  if (process.platform === 'win32') return undefined
  return lstatSync(address, { bigint: true, throwIfNoEntry: false })?.ino
}

/** Returns true if the process or system has too many open files. */
export function isOutOfFiles(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EMFILE' || code === 'ENFILE'
}
