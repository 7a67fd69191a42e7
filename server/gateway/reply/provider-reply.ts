import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/** A reply with its body as a stream: that of another server, or one made inside the service. */
export type ProviderReply = Readable &
  Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'headers' | 'rawHeaders'>
