import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { ErrorCode, isJSONRPCRequest, type JSONRPCErrorResponse } from '@modelcontextprotocol/sdk/types.js'
import { messageOf } from '../../../lib/text/message-of.ts'
import { describeFailure, Failure } from '../io/failure.ts'

export const errorReply = (id: RequestId, error: unknown): JSONRPCErrorResponse => ({
  jsonrpc: '2.0',
  id,
  error: { code: ErrorCode.InternalError, message: textOf(error) },
})

/** Returns the text of an error for a person. */
export const textOf = (error: unknown): string =>
  error instanceof Failure ? describeFailure(error) : messageOf(error)

/**
 * Appends an error reply to the event stream that answers a request: it may end without a result, if the service stops
 * or the access of the token ends. The reader ignores it after a result.
 */
export async function* withFinalReply(
  events: AsyncIterable<Uint8Array>,
  sentBody: string,
  origin: string,
): AsyncGenerator<Uint8Array> {
  const message: unknown = JSON.parse(sentBody)
  let reason = 'The service stopped, or the access of the token ended'
  try {
    yield* events
  } catch (error) {
    reason = messageOf(error)
  }
  if (!isJSONRPCRequest(message)) return
  const failure = new Failure(
    `${origin} ended the request without a result`,
    reason,
    'Send the request again',
  )
  // The empty line ends an event that is incomplete.
  yield Buffer.from(`\n\nevent: message\ndata: ${JSON.stringify(errorReply(message.id, failure))}\n\n`)
}
