import type { WebSocket } from 'ws'
import type { Identity } from '../../auth/identity/identity.ts'
import { plainText } from '../../lib/text/plain-text.ts'
import type { SendQueue } from '../frames/send-queue.ts'
import type { Entry } from './client-entry.ts'
import type { HelloFields } from './identification.ts'
import type { createTokenBucket } from './limits.ts'

/** One socket from its upgrade until it closes. */
export type Connection = {
  readonly id: string
  readonly socket: WebSocket
  readonly remoteAddr: string
  readonly userAgent: string
  /**
   * True for an SDK of PromptOps: its token came in the URL, and it sent no hello. It gets no
   * `prompt.deleted`. It does not answer pings, so a ping that could be sent counts as answered.
   */
  isOlderSdk: boolean
  /** Taken from the URL. Fields of the hello replace those of the URL. */
  helloFields: HelloFields
  /** Null until the client is authenticated. */
  access: {
    token: string
    identity: Identity
    /** Number of checks in progress. Meanwhile nothing is sent, because the access may have ended. */
    checks: number
    /** True if a frame was dropped during a check. */
    hasMissed: boolean
  } | null
  /** Null until the client is authenticated. */
  session: { readonly entry: Entry; readonly sendQueue: SendQueue; workspaceId: string | null } | null
  /** True once the service has begun to send its hello. */
  isHelloSent: boolean
  isClosing: boolean
  unansweredPings: number
  timer: NodeJS.Timeout | null
  /** Resolves after the last frame, because frames are handled one after another. */
  frameQueue: Promise<void>
  readonly tokenBucket: ReturnType<typeof createTokenBucket>
}

/** Shortens a close reason to 123 bytes, the maximum (RFC 6455, 5.5). */
export function closeReason(text: string): string {
  let reason = plainText(text, 120)
  while (Buffer.byteLength(reason) > 123) reason = reason.slice(0, -1)
  return reason
}
