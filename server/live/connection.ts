import type { WebSocket } from 'ws'
import type { Identity } from '../auth/identity.ts'
import { plainText } from '../lib/plain-text.ts'
import type { Introduction } from './identification.ts'
import type { createBucket } from './limits.ts'
import type { Outbox } from './outbox.ts'
import type { Entry } from './registry.ts'

/** One socket from its upgrade to its end. */
export type Connection = {
  readonly id: string
  readonly socket: WebSocket
  readonly remoteAddr: string
  readonly userAgent: string
  /**
   * An SDK of PromptOps: its token came in the URL, and it sent no hello. It gets no `prompt.deleted`, and instead of its
   * pong it is enough that its TCP connection takes the ping.
   */
  isOlderSdk: boolean
  /** From the URL; what a hello says is laid over it. */
  introduction: Introduction
  /** Null until the client has shown a token that holds. */
  access: { token: string; identity: Identity } | null
  /** Null until then, too. */
  session: { readonly entry: Entry; readonly outbox: Outbox; workspaceId: string | null } | null
  /** Whether our hello is out. */
  isGreeted: boolean
  isClosing: boolean
  /** Pings in a row that were not answered. */
  misses: number
  timer: NodeJS.Timeout | null
  /** Frames are handled one after the other. */
  turn: Promise<void>
  readonly bucket: ReturnType<typeof createBucket>
}

/** A close reason is at most 123 bytes (RFC 6455, 5.5). */
export function closeReason(text: string): string {
  let reason = plainText(text, 120)
  while (Buffer.byteLength(reason) > 123) reason = reason.slice(0, -1)
  return reason
}
