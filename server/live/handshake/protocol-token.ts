import type { IncomingMessage } from 'node:http'
import { liveProtocol, tokenProtocolPrefix } from '../../../contract/live/frames.ts'

/**
 * Returns the token that a page offers as a WebSocket protocol, because pages cannot set headers; null if
 * there is none.
 */
export function protocolToken({ headers }: IncomingMessage): string | null {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  const found = offered.find((name) => name.startsWith(tokenProtocolPrefix))
  return found === undefined ? null : found.slice(tokenProtocolPrefix.length)
}

/** Selects the protocol of the service, so that a token is not sent back. */
export const selectProtocol = (offered: ReadonlySet<string>): string | false =>
  offered.has(liveProtocol) ? liveProtocol : false
