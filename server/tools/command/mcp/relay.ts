import type { Readable, Writable } from 'node:stream'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  ErrorCode,
  InitializeResultSchema,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { pathAt, type Service } from '../connection/service.ts'
import type { CommandContext } from '../io/command-context.ts'
import { describeFailure, Failure, messageOf } from '../io/failure.ts'
import { fetchFrom } from './fetch.ts'

/** Delays after which a broken stream of notifications is opened again. */
const reconnectionOptions = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: Number.MAX_SAFE_INTEGER,
}

/**
 * Passes messages between an MCP client on stdin and stdout and the service, unchanged: the service sees the
 * client itself. Resolves when stdin ends.
 */
export async function relay(
  service: Service,
  path: string,
  { in: input, out, err }: Pick<CommandContext, 'in' | 'out' | 'err'>,
): Promise<void> {
  // The process has no other streams than those of Node.
  const stdio = new StdioServerTransport(input as Readable, out as Writable)
  const http = new StreamableHTTPClientTransport(new URL(pathAt(service, path), service.origin), {
    fetch: fetchFrom(service),
    reconnectionOptions,
  })
  const report = (error: unknown) => void err.write(`${textOf(error)}\n`)
  let initializeId: RequestId | null = null
  /** Resolves when `initialize` is answered: the requests after it need its session. */
  let ready: Promise<void> = Promise.resolve()

  stdio.onerror = report
  http.onerror = report
  stdio.onmessage = (message) => {
    const sent = ready
      .then(() => http.send(message))
      .catch((error: unknown) => answerFailure(stdio, message, error).catch(report))
    if (!isJSONRPCRequest(message) || message.method !== 'initialize') return
    initializeId = message.id
    ready = sent
  }
  http.onmessage = (message) => {
    const version = initializeId === null ? null : versionIn(message, initializeId)
    if (version !== null) http.setProtocolVersion(version)
    stdio.send(message).catch(report)
  }
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve)
    input.once('close', resolve)
    // The client has left.
    out.once('error', () => resolve())
  })
  await http.start()
  await stdio.start()
  await ended
  await http.close()
  await stdio.close()
}

/** Returns the negotiated revision from the reply to `initialize`; null for other messages. */
function versionIn(message: JSONRPCMessage, initializeId: RequestId): string | null {
  if (!isJSONRPCResultResponse(message) || message.id !== initializeId) return null
  return InitializeResultSchema.safeParse(message.result).data?.protocolVersion ?? null
}

/** Answers a request that did not reach the service, so that the client does not wait. */
async function answerFailure(
  stdio: StdioServerTransport,
  message: JSONRPCMessage,
  error: unknown,
): Promise<void> {
  if (!isJSONRPCRequest(message)) return
  const text = textOf(error)
  await stdio.send({
    jsonrpc: '2.0',
    id: message.id,
    error: { code: ErrorCode.InternalError, message: text },
  })
}

const textOf = (error: unknown): string =>
  error instanceof Failure ? describeFailure(error) : messageOf(error)
