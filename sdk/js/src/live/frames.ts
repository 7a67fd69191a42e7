/** A frame about a prompt, as the service sends it over the live connection. */
export type PromptFrame = {
  readonly type: string
  readonly seq: number
  readonly key: string
  readonly env: unknown
  readonly version: string | null
}
export type Frame =
  | { readonly type: 'hello'; readonly clientId: string; readonly seq: number; readonly heartbeatMs: number }
  | { readonly type: 'resync'; readonly seq: number }
  | { readonly type: 'pong' }
  | { readonly type: 'prompt'; readonly prompt: PromptFrame }

const defaultHeartbeatSeconds = 25

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Parses a frame; returns null for an unknown one. */
export function readFrame(data: unknown): Frame | null {
  const frame = parse(data)
  const type = frame?.['type']
  if (frame === null || typeof type !== 'string') return null
  const { seq, key, version } = frame
  if (type === 'pong') return { type }
  if (!isNumber(seq)) return null
  if (type === 'resync') return { type, seq }
  if (type === 'hello') {
    const { client_id: clientId, heartbeat_s: seconds } = frame
    if (typeof clientId !== 'string') return null
    const heartbeat = isNumber(seconds) && seconds > 0 ? seconds : defaultHeartbeatSeconds
    return { type, clientId, seq, heartbeatMs: heartbeat * 1000 }
  }
  if (!type.startsWith('prompt.') || typeof key !== 'string') return null
  return {
    type: 'prompt',
    prompt: { type, seq, key, env: frame['env'], version: typeof version === 'string' ? version : null },
  }
}

function parse(data: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof data !== 'string') return null
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
