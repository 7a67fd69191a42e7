import type { GatewayOperation } from '../../../contract/gateway/gateway.ts'
import type { ProviderReply } from '../reply/provider-reply.ts'
import type { ReplyReader } from '../reply/reply-reader.ts'
import { type CachedReply, maxReplyBytes } from './response-cache.ts'

type Kept = {
  readonly reader: ReplyReader
  /** Call it when the reply was complete and parsed. */
  complete(reply: Pick<ProviderReply, 'statusCode' | 'statusMessage' | 'rawHeaders'>): void
}

/** Keeps the bytes of a reply beside its reader. A reply with an error, or too many bytes, is not passed on. */
export function keepBody(
  reader: ReplyReader,
  operation: GatewayOperation,
  onComplete: (reply: CachedReply) => void,
): Kept {
  const chunks: Buffer[] = []
  let size = 0
  const write = (chunk: Buffer): boolean => {
    size += chunk.length
    if (size <= maxReplyBytes) chunks.push(chunk)
    else chunks.length = 0
    return reader.write(chunk)
  }
  return {
    reader: { ...reader, write },
    complete({ statusCode, statusMessage = '', rawHeaders }) {
      const { content } = reader
      if (statusCode !== 200 || size > maxReplyBytes || content.failure !== null || !content.isKnown) return
      // A stream can end in the middle of its text, and a background response has no text yet: both lack the reason.
      if (operation === 'chat' && content.finishReason === null) return
      onComplete({ status: statusCode, statusMessage, rawHeaders, body: Buffer.concat(chunks), content })
    },
  }
}
