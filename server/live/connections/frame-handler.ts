import type { RawData } from 'ws'
import { pathBeyondDepth, tooDeepMessage } from '../../../contract/formats/json.ts'
import { ClientFrame, closeCodes } from '../../../contract/live/frames.ts'
import type { Clock } from '../../lib/clock.ts'
import { emptyAsAbsent } from '../../lib/empty-as-absent.ts'
import { acknowledge, addKeys, type Entry } from './client-entry.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import type { Hello } from './identification.ts'

export type FrameHandlerDeps = {
  readonly connections: Pick<Connections, 'close'>
  readonly clock: Clock
  readonly onHello: (connection: Connection, hello: Hello) => Promise<void>
  /** Called after a client reported keys or an acknowledged version. */
  readonly onReport: (entry: Entry) => void
  readonly onError: (connection: Connection, error: unknown) => void
}

const knownTypes: ReadonlySet<unknown> = new Set(['hello', 'ack', 'subscribe', 'ping'])

/**
 * Reads the frames of clients. An invalid frame closes the connection with 1008 and the reason. An unknown
 * `type` is ignored, so that newer SDKs are compatible.
 */
export function createFrameHandler({ connections, clock, onHello, onReport, onError }: FrameHandlerDeps) {
  const handle = async (connection: Connection, frame: ClientFrame) => {
    if (connection.isClosing) return
    if (frame.type === 'hello') {
      await onHello(connection, frame)
      return
    }
    const { session } = connection
    if (session === null) {
      connections.close(connection, closeCodes.signedOut, 'The first frame must be a hello with a token')
      return
    }
    if (frame.type === 'ping') {
      session.sendQueue.sendNow({ type: 'pong' })
      return
    }
    if (frame.type === 'ack') acknowledge(session.entry, frame.key, frame.version, clock.now())
    else addKeys(session.entry, frame.keys)
    onReport(session.entry)
  }

  /** Returns the frame, null for one to ignore, or the reason why it is invalid. */
  const parse = (data: RawData, isBinary: boolean): ClientFrame | string | null => {
    if (isBinary) return 'Frames are JSON text'
    const json = parseObject(String(data))
    if (json === null) return 'A frame is a JSON object with a type'
    if (pathBeyondDepth(json) !== null) return tooDeepMessage
    if (!knownTypes.has(json['type'])) return null
    const parsed = ClientFrame.safeParse(emptyAsAbsent(ClientFrame)(json))
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]
    return `${json['type']} ${issue?.path.join('.')}: ${issue?.message}`
  }

  return (connection: Connection, data: RawData, isBinary: boolean): void => {
    if (connection.isClosing) return
    const frame = connection.tokenBucket.take() ? parse(data, isBinary) : 'Too many frames; slow down'
    if (typeof frame === 'string') connections.close(connection, closeCodes.badFrame, frame)
    else if (frame !== null) {
      connection.frameQueue = connection.frameQueue
        .then(() => handle(connection, frame))
        .catch((error: unknown) => onError(connection, error))
    }
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    const isFrame =
      typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string'
    return isFrame ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
