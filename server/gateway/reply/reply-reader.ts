import type { GatewayOperation } from '../../../contract/gateway/gateway.ts'
import { decoderOf } from '../protocols/decoder.ts'
import { record } from '../protocols/json.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { ReplyContent } from '../protocols/reply-content.ts'
import { parserFor, type ValueParser } from './value-parser.ts'

/** Reads a copy of a reply. It never changes or fails the reply itself. */
export type ReplyReader = {
  readonly content: ReplyContent
  /** Returns true if the reader is behind: wait for `onDrain` before the next chunk. */
  write(chunk: Buffer): boolean
  /** Resolves when everything written is parsed. Returns false if the reply could not be parsed. */
  end(): Promise<boolean>
}

export type ReplyReaderOptions = {
  readonly protocol: Protocol
  readonly operation: GatewayOperation
  readonly contentType: string
  readonly contentEncoding: string
  readonly onFirst: () => void
  /** Called when the reader has caught up. */
  readonly onDrain: () => void
}

/** Bytes of one decoded reply. A few compressed kilobytes can expand to gigabytes. */
const maxDecoded = 64 * 1024 * 1024

/** Bytes that are parsed together after the first text of a stream. */
const batchBytes = 64 * 1024
/** Memory of a chunk besides its bytes: a provider can send single bytes. */
const bytesPerChunk = 256

/** Creates the reader of a reply. A reply with an unknown content type or encoding is not parsed; one without a type counts as JSON. */
export function createReplyReader(options: ReplyReaderOptions): ReplyReader {
  const { protocol, operation, onFirst, onDrain } = options
  let hasFirst = false
  const content = new ReplyContent(() => {
    hasFirst = true
    onFirst()
  })
  const parser = parserFor(options.contentType, (value) =>
    protocol.readReply(record(value), content, operation),
  )
  const createDecoder = parser === null ? undefined : decoderOf(options.contentEncoding)
  if (parser === null || createDecoder === undefined) return createIgnoringReader(content)
  const sink = createSink(parser)
  if (createDecoder === null) return createBatchReader(content, sink, () => hasFirst)
  const start = (first: Buffer) => {
    const decoder = createDecoder(first)
    const done = new Promise<void>((resolve) => {
      const giveUp = () => {
        sink.fail()
        decoder.destroy()
        // A writer may wait for the decoder.
        onDrain()
        resolve()
      }
      let decoded = 0
      decoder.on('data', (chunk: Buffer) => {
        decoded += chunk.length
        sink.write(chunk)
        // Otherwise the rest would be decoded for nothing.
        if (sink.isFailed() || decoded > maxDecoded) giveUp()
      })
      decoder.once('end', resolve)
      decoder.once('error', giveUp)
    })
    decoder.on('drain', onDrain)
    return { decoder, done }
  }
  let started: ReturnType<typeof start> | null = null
  return {
    content,
    write(chunk) {
      started ??= start(chunk)
      const { decoder } = started
      return !sink.isFailed() && !decoder.destroyed && !decoder.write(chunk)
    },
    async end() {
      if (started?.decoder.destroyed === false) started.decoder.end()
      await started?.done
      return sink.end()
    },
  }
}

/**
 * Returns a reader that parses each chunk until the first text, whose time is measured. Later chunks are parsed together,
 * because parsing each event of a stream as it arrives takes three times as long.
 */
function createBatchReader(content: ReplyContent, sink: Sink, hasFirst: () => boolean): ReplyReader {
  let chunks: Buffer[] = []
  let size = 0
  const parse = () => {
    for (const chunk of chunks) sink.write(chunk)
    chunks = []
    size = 0
  }
  return {
    content,
    write(chunk) {
      chunks.push(chunk)
      size += chunk.length + bytesPerChunk
      if (!hasFirst() || size >= batchBytes) parse()
      return false
    },
    async end() {
      parse()
      return sink.end()
    },
  }
}

/** Returns a reader that ignores the reply, which then counts as not parsed. */
const createIgnoringReader = (content: ReplyContent): ReplyReader => ({
  content,
  write: () => false,
  end: async () => false,
})

type Sink = ReturnType<typeof createSink>

/** Decodes and parses bytes until the parser fails. */
function createSink(parser: ValueParser) {
  const text = new TextDecoder()
  let hasFailed = false
  const attempt = (step: () => void) => {
    if (hasFailed) return
    try {
      step()
    } catch {
      // The caller receives the bytes in any case; the run is marked as unparsed.
      hasFailed = true
    }
  }
  return {
    isFailed: () => hasFailed,
    fail: () => {
      hasFailed = true
    },
    write: (chunk: Buffer) => attempt(() => parser.write(text.decode(chunk, { stream: true }))),
    end(): boolean {
      attempt(() => {
        parser.write(text.decode())
        parser.end()
      })
      return !hasFailed
    },
  }
}
