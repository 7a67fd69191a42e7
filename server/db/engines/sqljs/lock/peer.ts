import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { z } from 'zod'
import { StoreError } from '../../../errors.ts'
import { socketAt } from './permissions.ts'

/*
 * The protocol at an owner's address, a line of JSON each way:
 *
 *   → {"challenge":"<64 hex digits>"}        ← {"answer":"<JSON of Answer>","proof":"<hex>"}
 *
 * `proof` is an HMAC over both with the secret of the owner's claim, which only this user can read. So a
 * process that merely listens at the address cannot impersonate the owner or supply a URL.
 */
const Answer = z.object({ pid: z.int(), url: z.string().nullable() })
export type Answer = z.infer<typeof Answer>

/** The result of contacting an owner's address. */
export type PeerReply =
  | ({ readonly kind: 'owner' } & Answer)
  /** A process accepts connections and does not answer, such as a suspended owner. */
  | { readonly kind: 'silent' }
  /** Another process answers, or the file is not a socket of this user. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'missing' }

/** Timeout in milliseconds. A running owner answers within a millisecond. */
const ANSWER_MS = 1000
const MAX_LINE_LENGTH = 4096

const proofOf = (secret: string, challenge: string, answer: string): string =>
  createHmac('sha256', secret).update(`promptdeck-owner\n${challenge}\n${answer}`).digest('hex')

/** Answers one challenge and closes the connection. */
export function answerChallenge(socket: Socket, secret: string, answer: () => Answer): void {
  let text = ''
  socket.setEncoding('utf8')
  socket.setTimeout(ANSWER_MS, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: string) => {
    text += chunk
    const challenge = /^\{"challenge":"([0-9a-f]{64})"\}\n$/.exec(text)?.[1]
    if (challenge !== undefined) {
      const body = JSON.stringify(answer())
      socket.end(`${JSON.stringify({ answer: body, proof: proofOf(secret, challenge, body) })}\n`)
    } else if (text.length > MAX_LINE_LENGTH || text.includes('\n')) socket.destroy()
  })
}

/**
 * Asks the process at `address` to identify itself. Only a process that knows `secret` counts as the owner.
 */
export async function ask(address: string, secret: string): Promise<PeerReply> {
  const found = socketAt(address)
  if (found !== 'own') return { kind: found }
  const challenge = randomBytes(32).toString('hex')
  const reply = await exchange(address, `{"challenge":"${challenge}"}\n`)
  if (typeof reply !== 'string') return reply
  const answer = verifyReply(reply, secret, challenge)
  return answer === undefined ? { kind: 'foreign' } : { kind: 'owner', ...answer }
}

function verifyReply(line: string, secret: string, challenge: string): Answer | undefined {
  try {
    const { answer, proof } = z.object({ answer: z.string(), proof: z.string() }).parse(JSON.parse(line))
    const expected = Buffer.from(proofOf(secret, challenge, answer))
    const actual = Buffer.from(proof)
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined
    return Answer.parse(JSON.parse(answer))
  } catch {
    // Not this protocol: another program answered.
    return undefined
  }
}

/** Sends `line` and resolves with the whole reply. */
export function exchange(address: string, line: string): Promise<string | PeerReply> {
  return new Promise((resolve, reject) => {
    let text = ''
    let isConnected = false
    const socket = connect(address)
    const finish = (reply: string | PeerReply): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reply)
    }
    const timer = setTimeout(() => finish(text === '' ? { kind: 'silent' } : text), ANSWER_MS)
    socket.setEncoding('utf8')
    socket.on('connect', () => {
      isConnected = true
      if (line !== '') socket.write(line)
    })
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.length > MAX_LINE_LENGTH) finish({ kind: 'foreign' })
    })
    socket.on('end', () => finish(text))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EMFILE' || error.code === 'ENFILE') {
        clearTimeout(timer)
        socket.destroy()
        reject(error)
      } else finish(text === '' ? failedToConnect(error.code, isConnected) : text)
    })
  })
}

function failedToConnect(code: string | undefined, isConnected: boolean): PeerReply {
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
  if (code === 'ECONNREFUSED') return { kind: 'refused' }
  if (code === 'ENOTSOCK' || code === 'EACCES' || code === 'EPERM') return { kind: 'foreign' }
  // EAGAIN: its queue of connections is full. A process that ends resets connections after accepting them.
  return isConnected ? { kind: 'refused' } : { kind: 'silent' }
}

/** Creates the error of a folder that a running process owns. */
export function lockedBy(folder: string, { pid, url }: Answer): StoreError {
  const where = url === null ? 'it is starting or stopping' : `it listens on ${url}`
  return new StoreError('locked', `${folder} is in use by process ${pid}: ${where}. Stop it first.`, { url })
}
