import type { Readable, Writable } from 'node:stream'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CancelledNotificationSchema,
  InitializeResultSchema,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import type { Service } from '../connection/service.ts'
import type { CommandContext } from '../io/command-context.ts'
import { Failure } from '../io/failure.ts'
import { fetchFrom } from './fetch.ts'
import { errorReply, textOf } from './final-reply.ts'

/** Delays after which a broken stream of notifications is opened again. */
const reconnectionOptions = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: Number.MAX_SAFE_INTEGER,
}

export type RelayDeps = Pick<CommandContext, 'in' | 'out' | 'err'> & {
  /** The address of the protocol. Its origin is that of the service that is found. */
  readonly url: URL
  /** Finds the service of a request: it may have been restarted at another port since the one before. */
  readonly findService: () => Promise<Service>
}

/**
 * Passes messages between an MCP client on stdin and stdout and the service, unchanged: the service sees the
 * client itself. Each request gets one reply. Resolves when stdin ends. Throws a `Failure` if a message is too long.
 */
export async function relay({ url, findService, in: input, out, err }: RelayDeps): Promise<void> {
  // The process has no other streams than those of Node.
  const stdio = new StdioServerTransport(input as Readable, out as Writable)
  const reconnection = { ...reconnectionOptions }
  const http = new StreamableHTTPClientTransport(url, {
    fetch: fetchFrom(findService),
    reconnectionOptions: reconnection,
  })
  const report = (error: unknown) => void err.write(`${textOf(error)}\n`)
  connect(stdio, http, report)
  const ended = new Promise<void>((resolve, reject) => {
    input.once('end', resolve)
    input.once('close', resolve)
    // The client has left.
    out.on('error', () => resolve())
    // The SDK closes it when the beginning of a line exceeds its limit.
    stdio.onclose = () => reject(tooLong())
  })
  await http.start()
  await stdio.start()
  try {
    await ended
  } finally {
    // Otherwise the SDK would open the stream of notifications again, after it has ended it.
    reconnection.maxRetries = 0
    delete http.onerror
    await http.close()
    delete stdio.onclose
    await stdio.close()
  }
}

const tooLong = () =>
  new Failure(
    'The connection was closed',
    'A message of the client is longer than 10 MiB',
    'Send shorter messages: the service accepts at most 1 MiB',
  )

/** Passes messages in both directions. */
function connect(
  stdio: StdioServerTransport,
  http: StreamableHTTPClientTransport,
  report: (error: unknown) => void,
): void {
  let initializeId: RequestId | null = null
  /** Resolves when `initialize` is answered: the requests after it need its session. */
  let ready: Promise<void> = Promise.resolve()
  /** The requests without a reply that the client has not cancelled. */
  const pending = new Set<RequestId>()

  const toClient = (message: JSONRPCMessage): void => {
    const isReply = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)
    if (isReply && message.id !== undefined && !pending.delete(message.id)) return
    stdio.send(message).catch(report)
  }
  stdio.onerror = report
  http.onerror = report
  stdio.onmessage = (message) => {
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId
    if (cancelled !== undefined) pending.delete(cancelled)
    const isRequest = isJSONRPCRequest(message)
    if (isRequest) pending.add(message.id)
    const sent = ready
      .then(() => http.send(message))
      // Otherwise the client would wait for a request that did not reach the service.
      .catch((error: unknown) => (isRequest ? toClient(errorReply(message.id, error)) : undefined))
    if (!isRequest || message.method !== 'initialize') return
    initializeId = message.id
    ready = sent
  }
  http.onmessage = (message) => {
    const version = initializeId === null ? null : versionIn(message, initializeId)
    if (version !== null) http.setProtocolVersion(version)
    toClient(message)
  }
}

/** Returns the negotiated revision from the reply to `initialize`; null for other messages. */
function versionIn(message: JSONRPCMessage, initializeId: RequestId): string | null {
  if (!isJSONRPCResultResponse(message) || message.id !== initializeId) return null
  return InitializeResultSchema.safeParse(message.result).data?.protocolVersion ?? null
}
