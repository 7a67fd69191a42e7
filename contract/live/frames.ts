import { z } from 'zod'
import type { Environment } from '../common/environments.ts'
import { KeyText } from '../common/fields.ts'

/** The namespace of a console session: it receives changes of all environments. */
export const everyNamespace = '*'

/**
 * WebSocket subprotocols that a page requests: the name of the protocol, and the page's token after a prefix.
 * Over the network the upgrade request must contain the token, and pages cannot set its headers.
 */
export const liveProtocol = 'promptdeck'
export const tokenProtocolPrefix = 'promptdeck.token.'

export const heartbeatSeconds = 25
export const maxFrameBytes = 65_536
/** Time limit for the `hello` frame of a connection without credentials. */
export const helloTimeoutMs = 5_000

/** WebSocket close codes (RFC 6455). Codes from 4000 are specific to this service. */
export const closeCodes = {
  shutdown: 1001,
  badFrame: 1008,
  tooBig: 1009,
  tooSlow: 1013,
  /** The service has its maximum number of connections, and accepted a caller that has fewer. */
  displaced: 1013,
  signedOut: 4401,
  disconnected: 4403,
} as const

export const changedEntities = [
  'run',
  'user',
  'workspace',
  'session',
  'client',
  'audit',
  'setting',
  'backup',
  'prompt',
  'agent',
  'workflow',
  'provider',
  'token',
  'alert',
  'view',
  'device',
  'pairing',
] as const
export type ChangedEntity = (typeof changedEntities)[number]

export type PromptEvent = {
  type: 'prompt.created' | 'prompt.updated' | 'prompt.published' | 'prompt.rolled_back' | 'prompt.deleted'
  seq: number
  id: string
  key: string
  env: Environment
  version: string | null
  workspace_id: string
}

/** A frame from the service. */
export type ServerFrame =
  | { type: 'hello'; client_id: string; seq: number; heartbeat_s: number; warning?: string }
  | { type: 'changed'; seq: number; entity: ChangedEntity; id: string | null }
  | { type: 'resync'; seq: number }
  | { type: 'pong' }
  | PromptEvent

const Keys = z.array(KeyText).max(1000)
const Label = z.string().min(1).max(128)

/** A frame from a client. Unknown fields are ignored, so that newer SDKs work with an older service. */
export const ClientFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    token: z.string().min(1).max(4096).optional(),
    client: Label.optional(),
    app: Label.optional(),
    namespace: z.string().min(1).max(64).optional(),
    workspace: z.string().min(1).max(64).optional(),
    since_seq: z.int().min(0).optional(),
    instance_id: Label.optional(),
    sdk_version: z.string().min(1).max(64).optional(),
    keys: Keys.optional(),
  }),
  z.object({ type: z.literal('ack'), seq: z.int().min(0), key: KeyText, version: z.string().min(1).max(64) }),
  z.object({ type: z.literal('subscribe'), keys: Keys }),
  // The reply is `pong`. A page cannot observe protocol pings, so it needs these to detect a dead connection.
  z.object({ type: z.literal('ping') }),
])
export type ClientFrame = z.infer<typeof ClientFrame>
